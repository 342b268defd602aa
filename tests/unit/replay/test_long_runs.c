/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of very much. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "program.h"

static struct vtb_runner *long_run(const char *thousands, uint64_t events_bytes)
{
	static char *argv[3];
	const struct vtb_process_opts opts = {
		.argv = argv, .engine = VTB_ENGINE_SNAPSHOT, .events_bytes = events_bytes
	};

	argv[0] = A(TARGETS "/long_run");
	argv[1] = A(thousands);
	return new_runner(&opts);
}

/* Wherever the room ends, what has none is made again with more. */
static void test_nothing_is_lost_at_the_end_of_the_room(void **state)
{
	size_t events = 0;

	(void)state;
	for (uint32_t pages = 1; pages <= 33; pages++) {
		struct vtb_runner *runner = long_run("2", pages * 4096);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_lost_at_the_end_of_the_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
