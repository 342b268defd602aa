/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of which nobody knows what they did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "extent.h"
#include "fake_program.h"
#include "hunt_priv.h"
#include "vtb/hunt_report.h"

static const struct vtb_runner_ops *whole;

/* Of each third run's records not all fit. */
static int run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n, struct vtb_exec *execs,
               struct vtb_error *err)
{
	const uint64_t before = runner->schedules;
	const int r = whole->run(runner, schedules, n, execs, err);

	for (size_t i = 0; r >= 0 && i < n; i++)
		if ((before + i) % 3 == 2)
			execs[i].outcome.flags |= VTB_OUT_TRUNCATED;
	return r;
}

static void hunt(const struct fake_program *program, struct vtb_hunt_result *result)
{
	struct vtb_hunt_opts opts;
	struct fake_runner fake;
	struct vtb_error err = { 0 };
	struct vtb_runner_ops ops;
	struct vtb_hunt hunt;

	vtb_hunt_opts_init(&opts);
	opts.search.strategy = "dfs";
	opts.search.seconds = 20;
	opts.keep_going = true;
	fake_runner_init(&fake, program);
	whole = fake.base.ops;
	ops = *whole;
	ops.run = run;
	fake.base.ops = &ops;
	*result = (struct vtb_hunt_result){ .runner = &fake.base };
	vtb_hunt_begin(&hunt, &opts, result, &err);
	assert_int_equal(vtb_hunt_core(&hunt), 0);
	result->runner = NULL;
	vtb_runner_free(&fake.base);
}

static void where_runs_could_not_be_read_nothing_is_claimed(void **state)
{
	struct vtb_hunt_result result;
	char text[8192], why[200];

	(void)state;
	hunt(&fake_account_locked, &result);
	assert_true(result.facts.unread > 0);
	assert_false(result.facts.complete);
	assert_false(vtb_extent_shows(&result.facts));
	assert_int_equal(vtb_hunt_exit_code(&result), 3);
	assert_non_null(strstr(vtb_hunt_statement(&result, text, sizeof(text)), "could not be read"));
	assert_string_equal(vtb_extent_missing(&result.facts, why, sizeof(why)),
	                    "what a run has done could not be read");
	vtb_hunt_result_fini(&result);
}

static void a_failure_counts_all_the_same(void **state)
{
	struct vtb_hunt_result result;

	(void)state;
	hunt(&fake_lock_cycle, &result);
	assert_int_equal(result.n_findings, 1);
	assert_int_equal(vtb_hunt_exit_code(&result), 1);
	vtb_hunt_result_fini(&result);
}

static void what_has_ended_without_a_word_is_not_known(void **state)
{
	struct vtb_outcome o = { .verdict = VTB_V_NONE };

	(void)state;
	assert_false(vtb_outcome_is_unread(&o));
	o.flags = VTB_OUT_CRASHED;
	assert_true(vtb_outcome_is_unread(&o));
	o.verdict = VTB_V_SIGNAL; /* that is known of it */
	assert_false(vtb_outcome_is_unread(&o));
	o.flags = VTB_OUT_TRUNCATED;
	assert_true(vtb_outcome_is_unread(&o));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_runs_could_not_be_read_nothing_is_claimed),
		cmocka_unit_test(a_failure_counts_all_the_same),
		cmocka_unit_test(what_has_ended_without_a_word_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
