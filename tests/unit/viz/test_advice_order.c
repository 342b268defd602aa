/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said where one order is all that is known, and of calls that a signal has ended early. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "vtb/story.h"
#include "vtb/told.h"

static struct vtb_cause_op op(const char *thread, uint32_t line)
{
	return (struct vtb_cause_op){ .thread = (char *)thread,
		                      .kind = "io-write",
		                      .variable = "sockets",
		                      .function = "f",
		                      .file = "/src/net.cc",
		                      .line = line };
}

static const char *advice(uint32_t before, uint32_t after, const struct vtb_exec *run, const struct vtb_symtab *tab,
                          char *buf, size_t size)
{
	struct vtb_cause_order order = { .before = op("0", before), .after = op("0.0", after) };
	struct vtb_cause cause = { .class = "order-violation", .orders = &order, .n_orders = 1 };
	struct vtb_causes causes = { .causes = &cause, .n_causes = 1 };
	const struct vtb_told told = { .causes = &causes, .run = run, .tab = tab };

	return vtb_told_advice(&told, buf, size);
}

static void the_other_way_round_it_has_to_be(void **state)
{
	char text[700];

	(void)state;
	assert_string_equal(
	    advice(28, 16, NULL, NULL, text, sizeof(text)),
	    "net.cc:16 must come before net.cc:28: let 0 wait there until 0.0 has done it. (Not proved: no repair "
	    "was found that holds in every schedule tried.)");
	assert_string_equal(advice(28, 28, NULL, NULL, text, sizeof(text)), "");
}

/* Thread 1 sets DONE, which thread 0 sees, and comes too late to line 16; `between` operations later. */
static void who_lets_the_other_go_on_too_early(void **state)
{
	enum { DONE = 1, WORK = 2 };
	struct vtb_site sites[3] = { { .file = "/src/net.cc", .line = 15 },
		                     { .file = "/src/net.cc", .line = 28 },
		                     { .file = "/src/net.cc", .line = 16 } };
	struct vtb_thread threads[] = { { .path = "0" }, { .path = "0.0" } };
	struct vtb_symtab tab = { .sites = sites, .n_sites = 3, .threads = threads, .n_threads = 2 };
	struct vtb_event events[] = { { .kind = VTB_E_WRITE, .thread = 1, .var = DONE },
		                      { .kind = VTB_E_READ, .thread = 0, .var = DONE, .site = 1 },
		                      { .kind = VTB_E_WRITE, .thread = 0, .var = WORK, .site = 1 },
		                      { .kind = VTB_E_WRITE, .thread = 1, .var = WORK, .site = 2 } };
	struct vtb_exec run = { .events = events, .n_events = 4 };
	char text[700];

	(void)state;
	assert_string_equal(advice(28, 16, &run, &tab, text, sizeof(text)),
	                    "net.cc:16 must come before net.cc:28: 0.0 lets 0 go on at net.cc:15 already; let it do "
	                    "net.cc:16 first. (Not proved: no repair was found that holds in every schedule tried.)");
	events[1].var = WORK; /* it sees nothing of the other */
	assert_non_null(strstr(advice(28, 16, &run, &tab, text, sizeof(text)), "let 0 wait there"));
	events[1].var = DONE;
	events[0].thread = 0; /* it has done that itself */
	assert_non_null(strstr(advice(28, 16, &run, &tab, text, sizeof(text)), "let 0 wait there"));
	events[0].thread = 1;
	run.n_events = 3; /* the other one is not on its way there */
	assert_non_null(strstr(advice(28, 16, &run, &tab, text, sizeof(text)), "let 0 wait there"));
	run.pending = &events[3];
	run.n_pending = 1;
	assert_non_null(strstr(advice(28, 16, &run, &tab, text, sizeof(text)), "at net.cc:15 already"));
}

/* There is something between, and what is late has been done once before. */
static void what_was_done_in_time_is_not_late(void **state)
{
	enum { DONE = 1, WORK = 2 };
	struct vtb_site sites[3] = { { .file = "/src/net.cc", .line = 15 },
		                     { .file = "/src/net.cc", .line = 28 },
		                     { .file = "/src/net.cc", .line = 16 } };
	struct vtb_thread threads[] = { { .path = "0" }, { .path = "0.0" } };
	struct vtb_symtab tab = { .sites = sites, .n_sites = 3, .threads = threads, .n_threads = 2 };
	struct vtb_event events[] = { { .kind = VTB_E_WRITE, .thread = 1, .var = DONE },
		                      { .kind = VTB_E_YIELD, .thread = 1 },
		                      { .kind = VTB_E_WRITE, .thread = 1, .var = WORK, .site = 2 },
		                      { .kind = VTB_E_READ, .thread = 0, .var = DONE, .site = 1 },
		                      { .kind = VTB_E_WRITE, .thread = 0, .var = WORK, .site = 1 },
		                      { .kind = VTB_E_WRITE, .thread = 1, .var = WORK, .site = 2 } };
	struct vtb_exec run = { .events = events, .n_events = 6 };
	char text[700];

	(void)state;
	assert_non_null(strstr(advice(28, 16, &run, &tab, text, sizeof(text)), "let 0 wait there"));
	events[2].kind = VTB_E_YIELD;
	events[2].site = 0;
	assert_non_null(strstr(advice(28, 16, &run, &tab, text, sizeof(text)), "at net.cc:15 already"));
}

enum { SEND, OPEN, HANDLE, READ, AGAIN, END, EVENTS };

/* Thread 1 reads, and a signal ends that; `again`: it reads once more. Event n is at net.cc:10+n. */
struct scene {
	struct vtb_site sites[EVENTS];
	struct vtb_event events[EVENTS];
	struct vtb_thread threads[2];
	struct vtb_variable variables[2];
	struct vtb_symtab tab;
	struct vtb_exec run;
};

static void make(struct scene *s, uint64_t result, bool again)
{
	static const uint8_t kinds[] = { VTB_E_SIGNAL_SEND, VTB_E_SIGNAL_OPEN, VTB_E_SIGNAL_HANDLE,
		                         VTB_E_IO_READ,     VTB_E_IO_READ,     VTB_E_PROCESS_EXIT };

	*s = (struct scene){ .threads = { { .path = "0" }, { .path = "0.0" } },
		             .variables = { { .name = "signal 10" }, { .name = "the pipe of fd 3" } } };
	for (uint32_t i = 0; i < EVENTS; i++) {
		const bool io = i == READ || i == AGAIN;

		s->sites[i] = (struct vtb_site){ .module = VTB_NONE,
			                         .file = "/src/net.cc",
			                         .line = 10 + (i == AGAIN && again ? READ : i) };
		s->events[i] = (struct vtb_event){ .thread = i != SEND,
			                           .kind = kinds[i],
			                           .site = i == AGAIN && again ? READ : i,
			                           .var = io,
			                           .flags = VTB_EVF_VALUE,
			                           .value = i == READ ? result : 0 };
	}
	s->tab = (struct vtb_symtab){ .sites = s->sites,
		                      .n_sites = EVENTS,
		                      .threads = s->threads,
		                      .n_threads = 2,
		                      .variables = s->variables,
		                      .n_variables = 2 };
	s->run = (struct vtb_exec){ .events = s->events,
		                    .n_events = EVENTS,
		                    .outcome = { .verdict = VTB_V_EXIT, .exit_status = 1, .thread = 1 } };
}

static bool tells(const struct scene *s, size_t at)
{
	struct vtb_story story;

	vtb_story_find(&s->run, &s->tab, NULL, &story);
	for (size_t i = 0; i < story.n_steps; i++)
		if (story.steps[i].at == at)
			return true;
	return false;
}

static void who_takes_for_done_what_a_signal_has_ended(void **state)
{
	static const char words[] = "A signal ended the call at net.cc:13 before it was done (EINTR). Make it again "
	                            "then, or give the signal's handler the flag "
	                            "SA_RESTART, if the call is one that goes by that.";
	struct scene s;
	char text[700];

	(void)state;
	make(&s, EINTR, false);
	assert_string_equal(advice(28, 16, &s.run, &s.tab, text, sizeof(text)), words);
	assert_true(tells(&s, SEND) && tells(&s, HANDLE) && tells(&s, READ) && tells(&s, END));
	make(&s, EINTR, true);
	assert_null(strstr(advice(28, 16, &s.run, &s.tab, text, sizeof(text)), "EINTR"));
	make(&s, EAGAIN, false);
	assert_null(strstr(advice(28, 16, &s.run, &s.tab, text, sizeof(text)), "EINTR"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_other_way_round_it_has_to_be),
		cmocka_unit_test(who_lets_the_other_go_on_too_early),
		cmocka_unit_test(what_was_done_in_time_is_not_late),
		cmocka_unit_test(who_takes_for_done_what_a_signal_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
