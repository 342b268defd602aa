/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a thread is told to be stopped, and what one looks at that goes round. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "vtb/story.h"

enum { READS, WRITES_OWN, READS_TOO, FAILS, EVENTS };

/* Thread 1 reads X and then writes what is its own, and is stopped after that; thread 2 reads X and fails. The cause
 * names the first, or both. */
static void tell(size_t n_orders, struct vtb_story *ret)
{
	static struct vtb_thread threads[] = { { .path = "0" }, { .path = "0.0" }, { .path = "0.1" } };
	static struct vtb_variable variables[] = { { .object = VTB_NONE, .name = "x" },
		                                   { .object = VTB_NONE, .name = "own" } };
	const struct vtb_symtab tab = { .threads = threads, .n_threads = 3, .variables = variables, .n_variables = 2 };
	struct vtb_event events[EVENTS] = {
		[READS] = { .thread = 1, .kind = VTB_E_READ, .var = 0, .addr = 0x1000, .size = 4 },
		[WRITES_OWN] = { .thread = 1, .kind = VTB_E_WRITE, .var = 1, .addr = 0x2000, .size = 4 },
		[READS_TOO] = { .thread = 2, .kind = VTB_E_READ, .var = 0, .addr = 0x1000, .size = 4 },
		[FAILS] = { .thread = 2, .kind = VTB_E_FAIL, .var = VTB_NONE },
	};
	uint64_t enabled[EVENTS] = { 6, 6, 6, 6 };
	const struct vtb_exec x = { .events = events,
		                    .n_events = EVENTS,
		                    .enabled = enabled,
		                    .stride = 1,
		                    .outcome = { .verdict = VTB_V_ASSERTION, .thread = 2 } };
	struct vtb_cause_order orders[] = {
		{ .before = { .thread = "0.0", .op = 1, .kind = "read", .variable = "x" },
		  .after = { .thread = "0.1", .op = 1, .kind = "read", .variable = "x" } },
		{ .before = { .thread = "0.0", .op = 2, .kind = "write", .variable = "own" },
		  .after = { .thread = "0.1", .op = 1, .kind = "read", .variable = "x" } },
	};
	struct vtb_cause cause = { .class = "order-violation", .orders = orders, .n_orders = n_orders };
	const struct vtb_causes causes = { .causes = &cause, .n_causes = 1 };

	vtb_story_find(&x, &tab, &causes, ret);
}

static bool is_stopped_at(const struct vtb_story *story, size_t at)
{
	for (size_t i = 0; i < story->n_steps; i++)
		if (story->steps[i].at == at)
			return story->steps[i].preempted;
	return false;
}

static void a_thread_is_stopped_once_and_at_the_last_of_its_steps_that_are_shown(void **state)
{
	struct vtb_story story;

	(void)state;
	tell(1, &story);
	assert_true(is_stopped_at(&story, READS));
	tell(2, &story);
	assert_false(is_stopped_at(&story, READS));
	assert_true(is_stopped_at(&story, WRITES_OWN));
}

/* Thread 0.1 has written X, or thread 0.0 itself, which looks at it so often. */
static const char *round_of(uint16_t writer, unsigned looks, const char *message, char *buf, size_t size)
{
	static struct vtb_thread threads[] = { { .path = "0" }, { .path = "0.0" }, { .path = "0.1" } };
	static struct vtb_variable variables[] = { { .object = VTB_NONE, .name = "x" } };
	static struct vtb_site sites[] = { { .function = "f", .file = "a.c", .line = 31, .text = "" },
		                           { .function = "f", .file = "a.c", .line = 20, .text = "" } };
	const struct vtb_symtab tab = { .threads = threads,
		                        .n_threads = 3,
		                        .variables = variables,
		                        .n_variables = 1,
		                        .sites = sites,
		                        .n_sites = 2 };
	struct vtb_event events[4];
	const struct vtb_exec x = { .events = events,
		                    .n_events = 1 + looks,
		                    .outcome = { .verdict = VTB_V_LIVELOCK, .thread = 1, .message = (char *)message } };
	const struct vtb_story story = { .var = VTB_NONE };

	events[0] =
	    (struct vtb_event){ .thread = writer, .kind = VTB_E_WRITE, .var = 0, .addr = 0x1000, .size = 4, .site = 0 };
	for (unsigned i = 1; i <= looks; i++)
		events[i] = (struct vtb_event){
			.thread = 1, .kind = VTB_E_READ, .var = 0, .addr = 0x1000, .size = 4, .site = 1
		};
	return vtb_story_sentence(&x, &tab, &story, buf, size);
}

static void who_goes_round_looks_at_what_another_has_left(void **state)
{
	static const char stuck[] = "threads go round in loops, and no order of them leads out";
	char text[300];

	(void)state;
	assert_string_equal(round_of(2, 2, stuck, text, sizeof(text)),
	                    "livelock: 0.0 looks again and again at x at a.c:20, which 0.1 wrote last at a.c:31; no "
	                    "order of the threads leads out of that");
	assert_string_equal(round_of(2, 1, stuck, text, sizeof(text)), "");
	assert_string_equal(round_of(1, 2, stuck, text, sizeof(text)), "");
	assert_string_equal(round_of(2, 2, "it never ends", text, sizeof(text)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_goes_round_looks_at_what_another_has_left),
		cmocka_unit_test(a_thread_is_stopped_once_and_at_the_last_of_its_steps_that_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
