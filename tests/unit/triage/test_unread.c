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
#include "vtb/array.h"
#include "vtb/hunt_report.h"
#include "vtb/rng.h"

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

/* ---- in the search by states, which goes on where the other one has come to its bound, and time may do more */

static const struct fake_op both_main[] = { { FAKE_CREATE, 0, 1 }, { FAKE_READ, 0, 0 }, { FAKE_READ, 0, 0 },
	                                    { FAKE_READ, 0, 0 },   { FAKE_JOIN, 0, 1 }, { FAKE_END, 0, 0 } };
static const struct fake_op both_other[] = {
	{ FAKE_WRITE, 0, 0 }, { FAKE_WRITE, 0, 0 }, { FAKE_WRITE, 0, 0 }, { FAKE_END, 0, 0 }
};
static const struct fake_program both = {
	.threads = { both_main, both_other }, .n_threads = 2, .vars = { "x" }, .n_vars = 1
};

static uint32_t by_states; /* flags of its runs but the first one */
static uint64_t n_by_states, n_strayed;

/* No two of them are equal. */
static void tell_states(struct vtb_exec *x)
{
	static uint64_t n;

	for (uint32_t row = 0; row <= x->n_events; row++) {
		assert_int_equal(vtb_array_room(x, states), 0);
		n++;
		x->states[x->n_states++] = (struct vtb_exec_state){ .lo = vtb_mix64(n), .hi = n, .row = row };
	}
}

static int run_by_states(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                         struct vtb_exec *execs, struct vtb_error *err)
{
	const int r = whole->run(runner, schedules, n, execs, err);

	for (size_t i = 0; r >= 0 && i < n; i++) {
		execs[i].outcome.flags |= !runner->states ? VTB_OUT_TIMED : n_by_states++ ? by_states : 0;
		if (runner->states)
			tell_states(&execs[i]);
		n_strayed += (execs[i].outcome.flags & VTB_OUT_DIVERGED) != 0;
	}
	return r;
}

static void hunt_by_states(uint32_t flags, struct vtb_hunt_result *result)
{
	struct vtb_hunt_opts opts;
	struct fake_runner fake;
	struct vtb_error err = { 0 };
	struct vtb_runner_ops ops;
	struct vtb_hunt hunt;

	by_states = flags;
	n_by_states = n_strayed = 0;
	vtb_hunt_opts_init(&opts);
	opts.search.seconds = 20;
	fake_runner_init(&fake, &both);
	whole = fake.base.ops;
	ops = *whole;
	ops.run = run_by_states;
	fake.base.ops = &ops;
	*result = (struct vtb_hunt_result){ .runner = &fake.base, .facts.engine = "snapshot" };
	vtb_hunt_begin(&hunt, &opts, result, &err);
	assert_int_equal(vtb_hunt_core(&hunt), 0);
	assert_true(n_by_states > 1);
	result->runner = NULL;
	vtb_runner_free(&fake.base);
}

static void what_strays_in_a_search_by_states_takes_its_claim(void **state)
{
	struct vtb_hunt_result result;

	(void)state;
	hunt_by_states(0, &result);
	assert_true(result.facts.complete);
	assert_int_equal(result.facts.done.c, VTB_UNBOUNDED);
	vtb_hunt_result_fini(&result);
	hunt_by_states(VTB_OUT_DIVERGED, &result);
	assert_int_not_equal(result.facts.done.c, VTB_UNBOUNDED);
	assert_int_equal(result.facts.diverged, n_strayed);
	vtb_hunt_result_fini(&result);
}

static void what_cannot_be_read_in_a_search_by_states_counts(void **state)
{
	struct vtb_hunt_result result;

	(void)state;
	hunt_by_states(VTB_OUT_TRUNCATED, &result);
	assert_int_equal(result.facts.unread, n_by_states - 1);
	assert_int_equal(vtb_hunt_exit_code(&result), 3);
	vtb_hunt_result_fini(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_runs_could_not_be_read_nothing_is_claimed),
		cmocka_unit_test(a_failure_counts_all_the_same),
		cmocka_unit_test(what_has_ended_without_a_word_is_not_known),
		cmocka_unit_test(what_strays_in_a_search_by_states_takes_its_claim),
		cmocka_unit_test(what_cannot_be_read_in_a_search_by_states_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
