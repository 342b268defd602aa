/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of very much: what only one thread touches is passed over, and which sites that is is learnt by few of them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "process_private.h"
#include "program.h"
#include "server_arena.h"

#define RUNS 24u
#define MOST_IN_VAIN 16u /* runs: as many as two schedules would take alone */

static struct vtb_runner *long_run(const char *thousands, uint64_t events_bytes, uint64_t events_max)
{
	static char *argv[3];
	const struct vtb_process_opts opts = {
		.argv = argv, .engine = VTB_ENGINE_SNAPSHOT, .events_bytes = events_bytes, .events_max = events_max
	};

	argv[0] = A(TARGETS "/long_run");
	argv[1] = A(thousands);
	return new_runner(&opts);
}

static uint64_t passed(const struct vtb_exec *x)
{
	uint64_t n = 0;

	for (size_t i = 0; i < x->n_events; i++)
		n += x->events[i].kind == VTB_E_OWNED ? x->events[i].value : 0;
	return n;
}

/* What one run shows of a batch the others need not show again. */
static void test_a_batch_learns_by_one_run(void **state)
{
	struct vtb_runner *runner = long_run("50", 0, 0);
	struct process_runner *p = vtb_process_of(runner);
	struct vtb_schedule s[RUNS];
	const struct vtb_schedule *list[RUNS];
	struct vtb_exec x[RUNS];

	(void)state;
	run_one(runner, &(struct vtb_schedule){ 0 }, x);
	assert_true(x->n_events > 65536 && runner->long_runs && !x->owned);
	vtb_exec_fini(x);
	for (uint32_t i = 0; i < RUNS; i++) {
		s[i] = (struct vtb_schedule){ .policy = VTB_SCHEDULE_RANDOM, .seed = i + 1, .brief = true };
		list[i] = &s[i];
	}
	vtb_runner_tell_little(runner, true);
	assert_int_equal(vtb_runner_run(runner, list, RUNS, x, NULL), 0);
	for (uint32_t i = 0; i < RUNS; i++) {
		assert_int_equal(x[i].outcome.verdict, VTB_V_NONE);
		assert_true(x[i].brief || (x[i].owned && passed(&x[i]) > 65536 && x[i].n_events < 4096));
		vtb_exec_fini(&x[i]);
	}
	assert_int_equal(runner->schedules, RUNS + 1);
	assert_in_range(p->owned.refused, 1, MOST_IN_VAIN);
	vtb_runner_free(runner);
	no_children_are_left();
}

/* Millions of operations: told whole only who has to be. */
static void test_what_has_no_room_is_told_by_what_threads_share(void **state)
{
	const struct vtb_schedule sparse = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK, .sparse = true }, whole = { 0 };
	struct vtb_runner *runner = long_run("1100", 32ull << 20, 0);
	struct vtb_exec x;

	(void)state;
	vtb_runner_tell_little(runner, true);
	run_one(runner, &sparse, &x);
	assert_int_equal(x.outcome.verdict, VTB_V_NONE);
	assert_true(x.owned && runner->long_runs && runner->sparse_pays);
	assert_true(passed(&x) > 2200000 && x.n_events < 4096);
	vtb_exec_fini(&x);
	vtb_runner_tell_little(runner, false);
	run_one(runner, &whole, &x);
	assert_true(!x.owned && x.n_events > 2200000);
	vtb_exec_fini(&x);
	vtb_runner_free(runner);
	no_children_are_left();
}

/* Wherever the room ends, what has none is made again with more. */
static void test_nothing_is_lost_at_the_end_of_the_room(void **state)
{
	size_t events = 0;

	(void)state;
	for (uint32_t pages = 1; pages <= 33; pages++) {
		struct vtb_runner *runner = long_run("2", pages * 4096, 0);
		struct vtb_exec x;

		run_one(runner, &(struct vtb_schedule){ .policy = VTB_SCHEDULE_RUN_TO_BLOCK }, &x);
		events = events ? events : x.n_events;
		if (x.n_events != events || x.outcome.points != x.n_events)
			fail_msg("%u pages: %zu events of %zu", pages, x.n_events, events);
		vtb_exec_fini(&x);
		vtb_runner_free(runner);
	}
	no_children_are_left();
}

/* What lies behind it is another run's, or the tool's. */
static void test_no_record_is_written_beyond_the_room(void **state)
{
	(void)state;
	for (uint32_t pages = 1; pages <= 12; pages++) {
		struct vtb_runner *runner = long_run("2", pages * 4096, pages * 4096);
		const struct server *s = &vtb_process_of(runner)->server;
		struct vtb_exec x;

		run_one(runner, &(struct vtb_schedule){ .policy = VTB_SCHEDULE_RUN_TO_BLOCK }, &x);
		assert_true(x.outcome.flags & VTB_OUT_TRUNCATED);
		for (uint32_t i = 0; i < s->opts.slots; i++)
			if (arena_slot(s, i)->events_used > pages * 4096)
				fail_msg("%u pages: %lu bytes", pages, (unsigned long)arena_slot(s, i)->events_used);
		vtb_exec_fini(&x);
		vtb_runner_free(runner);
	}
	no_children_are_left();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_batch_learns_by_one_run),
		cmocka_unit_test(test_no_record_is_written_beyond_the_room),
		cmocka_unit_test(test_nothing_is_lost_at_the_end_of_the_room),
		cmocka_unit_test(test_what_has_no_room_is_told_by_what_threads_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
