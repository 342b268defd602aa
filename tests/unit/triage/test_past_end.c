/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake_program.h"
#include "hunt_priv.h"

static volatile sig_atomic_t over;
static struct vtb_runner_ops plain, past;

/* The end comes while a batch is run, of which all is executed. */
static int run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n, struct vtb_exec *execs,
               struct vtb_error *err)
{
	over = runner->schedules > 20;
	return plain.run(runner, schedules, n, execs, err);
}

static void what_runs_past_the_end_counts_nowhere(void **state)
{
	struct vtb_hunt_result result;
	struct vtb_hunt_opts opts;
	struct fake_runner fake;
	struct vtb_error err = { 0 };
	struct vtb_hunt hunt;

	(void)state;
	vtb_hunt_opts_init(&opts);
	opts.search.strategy = "dfs";
	opts.search.seconds = 20;
	opts.interrupted = &over;
	fake_runner_init(&fake, &fake_account_locked);
	fake.batch_size = 8;
	plain = past = *fake.base.ops;
	past.run = run;
	fake.base.ops = &past;
	result = (struct vtb_hunt_result){ .runner = &fake.base };
	vtb_hunt_begin(&hunt, &opts, &result, &err);
	assert_int_equal(vtb_hunt_core(&hunt), 0);
	assert_string_equal(result.facts.stopped, "interrupt");
	assert_true(fake.base.schedules > vtb_hunt_schedules(&hunt));
	assert_int_equal(vtb_hunt_schedules(&hunt), result.facts.search_schedules);
	vtb_hunt_result_fini(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_runs_past_the_end_counts_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
