/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a batch is there when: of a runner whose time is over what was run by then, while what was not is not begun
 * and what has no end is given up; and meanwhile what it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "program.h"

/* Seconds until the runner gives up `n` runs of the program's default schedule, at a deadline so far away. */
static double given_up_after(char *const *argv, double seconds, size_t n, size_t *ret_done)
{
	struct vtb_stop until = { 0 };
	const struct vtb_process_opts opts = {
		.argv = argv, .engine = VTB_ENGINE_FORKSERVER, .timeout_msec = 60000, .stop = &until
	};
	const struct vtb_schedule empty = { 0 };
	const struct vtb_schedule **all = calloc(n, sizeof(*all));
	struct vtb_exec *execs = calloc(n, sizeof(*execs));
	struct vtb_runner *runner = new_runner(&opts);
	const double began = vtb_stop_clock();
	double took;

	for (size_t i = 0; i < n; i++)
		all[i] = &empty;
	until.deadline = began + seconds;
	assert_int_equal(vtb_runner_run_some(runner, all, n, execs, ret_done, NULL), -ECANCELED);
	took = vtb_stop_clock() - began;
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(execs[i].n_events > 0, i < *ret_done);
		vtb_exec_fini(&execs[i]);
	}
	vtb_runner_free(runner);
	free(execs);
	free(all);
	return took;
}

static void a_deadline_gives_up_a_run_without_an_end(void **state)
{
	size_t done;
	const double took = given_up_after(ARGV(A(TARGETS "/lost_update"), A("hang")), 0.5, 3, &done);

	(void)state;
	assert_int_equal(done, 0);
	assert_true(took >= 0.5 && took < 5);
	no_children_are_left();
}

static void a_deadline_keeps_the_runs_made_by_then(void **state)
{
	const size_t many = 200000;
	size_t done;
	const double took = given_up_after(ARGV(A(TARGETS "/lost_update")), 1, many, &done);

	(void)state;
	assert_in_range(done, 1, many - 1);
	assert_true(took >= 1 && took < 5);
	no_children_are_left();
}

/* ---- what is there while others are run */

#define MANY 70u /* more than there are slots */

struct there {
	const struct vtb_exec *execs;
	size_t n;
};

static enum vtb_verdict verdict_of(size_t i)
{
	return i % 3 == 2 ? VTB_V_EXIT : VTB_V_NONE;
}

static void note_ready(struct vtb_runner *runner, size_t n)
{
	struct there *t = runner->ready_data;

	assert_true(n >= t->n && n <= MANY);
	for (; t->n < n; t->n++)
		assert_int_equal(t->execs[t->n].outcome.verdict, verdict_of(t->n));
}

static void what_is_said_to_be_ready_is(void **state)
{
	(void)state;
	for (uint32_t jobs = 1; jobs <= 3; jobs++) {
		const struct vtb_process_opts opts = { .argv = ARGV(A(TARGETS "/lost_update")),
			                               .engine = VTB_ENGINE_SNAPSHOT,
			                               .jobs = jobs };
		struct vtb_runner *runner = new_runner(&opts);
		const struct vtb_schedule *list[MANY];
		struct vtb_schedule empty = { 0 }, s;
		struct vtb_exec x[MANY];
		struct there there = { .execs = x };

		lose_update(runner, &s);
		for (size_t i = 0; i < MANY; i++)
			list[i] = verdict_of(i) == VTB_V_EXIT ? &s : &empty;
		for (int turn = 0; turn < 2; turn++) { /* the second one with helpers */
			there.n = 0;
			runner->ready = note_ready;
			runner->ready_data = &there;
			assert_int_equal(vtb_runner_run(runner, list, MANY, x, NULL), 0);
			assert_true(there.n == MANY - 1); /* all but the last, with which the batch is over */
			for (size_t i = 0; i < MANY; i++) {
				assert_int_equal(x[i].outcome.verdict, verdict_of(i));
				vtb_exec_fini(&x[i]);
			}
		}
		vtb_schedule_fini(&s);
		vtb_runner_free(runner);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_said_to_be_ready_is),
		cmocka_unit_test(a_deadline_gives_up_a_run_without_an_end),
		cmocka_unit_test(a_deadline_keeps_the_runs_made_by_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
