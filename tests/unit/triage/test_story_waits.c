/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that wait for ever, as the run alone tells it: what came between their test and their wait. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "vtb/story.h"

enum { FLAG, COND, MUTEX, TERM, ANY, OTHER, VARIABLES };

struct run {
	struct vtb_event events[24], pending;
	struct vtb_exec x;
	struct vtb_story story;
	char text[600];
};

static struct vtb_variable variables[VARIABLES] = {
	[FLAG] = { .name = "quit" },      [COND] = { .name = "cv" },        [MUTEX] = { .name = "m" },
	[TERM] = { .name = "signal 15" }, [ANY] = { .name = "any signal" }, [OTHER] = { .name = "other" }
};
static struct vtb_site sites[24];
static struct vtb_thread threads[] = { { .path = "0" }, { .path = "0.0" }, { .path = "0.1" } };
static const struct vtb_symtab tab = { .variables = variables,
	                               .n_variables = VARIABLES,
	                               .sites = sites,
	                               .n_sites = 24,
	                               .threads = threads,
	                               .n_threads = 3 };

/* Event number n is at a.c:10+n. */
static void does(struct run *r, uint16_t thread, uint8_t kind, uint32_t var, const char *function, uint64_t value)
{
	const uint32_t i = (uint32_t)r->x.n_events;

	for (uint32_t k = 0; k < VARIABLES; k++)
		variables[k].object = VTB_NONE;
	sites[i] = (struct vtb_site){ .module = VTB_NONE, .file = "a.c", .line = 10 + i, .function = (char *)function };
	r->events[r->x.n_events++] = (struct vtb_event){ .thread = thread,
		                                         .kind = kind,
		                                         .var = var,
		                                         .addr = 64 * (1 + var),
		                                         .size = 4,
		                                         .site = i,
		                                         .aux = kind == VTB_E_COND_WAIT ? MUTEX : VTB_NONE,
		                                         .flags = VTB_EVF_VALUE,
		                                         .value = value };
}

static void tell(struct run *r, uint8_t kind, uint32_t var)
{
	r->pending = (struct vtb_event){ .thread = 0, .kind = VTB_E_PENDING, .aux = kind, .var = var, .site = 0 };
	r->x.events = r->events;
	r->x.pending = &r->pending;
	r->x.n_pending = 1;
	r->x.outcome =
	    (struct vtb_outcome){ .verdict = VTB_V_CONDITION_DEADLOCK, .thread = VTB_NONE, .site = VTB_NONE };
	vtb_story_find(&r->x, &tab, NULL, &r->story);
	vtb_story_suggest(&r->story, &r->x, &tab, r->text, sizeof(r->text));
}

/* Thread 0 tests under m and waits; thread 1 changes and signals between the two, or changes only `changed` later. */
static void signalled(struct run *r, bool under_mutex, bool in_between)
{
	*r = (struct run){ 0 };
	if (!in_between)
		does(r, 1, VTB_E_WRITE, FLAG, "stop", 1);
	if (under_mutex)
		does(r, 0, VTB_E_LOCK, MUTEX, "work", 0);
	does(r, 0, VTB_E_READ, FLAG, "work", 0);
	if (in_between)
		does(r, 1, VTB_E_WRITE, FLAG, "stop", 1);
	does(r, 1, VTB_E_COND_BROADCAST, COND, "stop", 0);
	does(r, 0, VTB_E_COND_WAIT, COND, "work", 0);
	tell(r, VTB_E_COND_WAKE, COND);
}

static void a_change_between_test_and_wait_is_what_lacks_the_mutex(void **state)
{
	struct run r;

	(void)state;
	signalled(&r, true, true);
	assert_int_equal(r.story.pattern, VTB_PATTERN_LOST_WAKEUP);
	assert_string_equal(
	    r.text, "Hold m where quit is changed at a.c:12: a.c:11 tests it with that held, until it waits, and "
	            "the change came in between.");
	assert_int_equal(r.story.n_steps, 5); /* test, change, signal, wait, who waits */
	signalled(&r, true, false);
	assert_non_null(strstr(r.text, "keep the condition in a variable"));
	signalled(&r, false, true);
	assert_non_null(strstr(r.text, "keep the condition in a variable"));
}

/* The handler of SIGTERM sets a flag between its test and pause(); what happens to the flag in between? */
static void handled(struct run *r, bool tested_again, uint64_t before)
{
	*r = (struct run){ 0 };
	does(r, 0, VTB_E_READ, FLAG, "main", before);
	does(r, 1, VTB_E_SIGNAL_SEND, TERM, "stop", 15);
	does(r, 0, VTB_E_SIGNAL_HANDLE, TERM, "on_term", 15);
	does(r, 0, VTB_E_WRITE, FLAG, "on_term", 1);
	does(r, 0, VTB_E_READ, tested_again ? FLAG : OTHER, "main", 1);
	does(r, 0, VTB_E_SIGNAL_OPEN, VTB_NONE, "main", 0);
	tell(r, VTB_E_SIGNAL_HANDLE, ANY);
}

static void a_signal_between_test_and_wait_is_to_be_blocked(void **state)
{
	struct run r;

	(void)state;
	handled(&r, false, 0);
	assert_int_equal(r.story.pattern, VTB_PATTERN_LOST_SIGNAL);
	assert_string_equal(vtb_pattern_name(r.story.pattern), "lost-signal");
	assert_int_equal(r.story.steps[r.story.first].event.site, 0);
	assert_int_equal(r.story.steps[r.story.intruder].event.site, 3);
	assert_non_null(strstr(r.text, "SIGTERM came after the test of quit at a.c:10 and before the wait at a.c:15"));
	handled(&r, true, 0);
	assert_int_equal(r.story.pattern, VTB_PATTERN_STUCK);
	handled(&r, false, 1); /* nothing new */
	assert_int_equal(r.story.pattern, VTB_PATTERN_STUCK);
}

/* A loop looks at a flag in each round; somebody sets it, and nothing was stopped for that. */
static void who_looks_again_at_one_place_is_not_two_halves_of_a_step(void **state)
{
	struct run r = { 0 };
	uint64_t enabled[24];

	(void)state;
	does(&r, 0, VTB_E_READ, FLAG, "accept", 0);
	does(&r, 1, VTB_E_WRITE, FLAG, "stop", 1);
	does(&r, 0, VTB_E_READ, FLAG, "accept", 1);
	does(&r, 1, VTB_E_FAIL, VTB_NONE, "stop", 0);
	r.events[2].site = 0;
	r.x.events = r.events;
	r.x.enabled = enabled;
	r.x.n_enabled = r.x.n_events;
	r.x.stride = 1;
	r.x.outcome = (struct vtb_outcome){ .verdict = VTB_V_ASSERTION, .thread = 1, .site = VTB_NONE };
	for (int stopped = 0; stopped <= 1; stopped++) {
		for (size_t i = 0; i < r.x.n_events; i++)
			enabled[i] = stopped ? 3 : 1u << r.events[i].thread;
		vtb_story_find(&r.x, &tab, NULL, &r.story);
		assert_int_equal(r.story.pattern, stopped ? VTB_PATTERN_ATOMICITY : VTB_PATTERN_ORDER);
		vtb_story_suggest(&r.story, &r.x, &tab, r.text, sizeof(r.text));
		assert_null(strstr(r.text, "update"));
	}
}

static const char *hangs(struct run *r, struct vtb_event *pending, size_t n, enum vtb_verdict verdict)
{
	r->x.events = r->events;
	r->x.pending = pending;
	r->x.n_pending = n;
	r->x.outcome = (struct vtb_outcome){ .verdict = verdict, .thread = VTB_NONE, .site = VTB_NONE };
	vtb_story_find(&r->x, &tab, NULL, &r->story);
	return vtb_story_sentence(&r->x, &tab, &r->story, r->text, sizeof(r->text));
}

/* Thread 1 has signalled what thread 0 waits for, and waits for something else now; has thread 0 signalled that? */
static void of_two_waits_that_is_told_on_which_the_other_hangs(void **state)
{
	(void)state;
	for (int mutual = 0; mutual <= 1; mutual++) {
		struct run r = { 0 };
		struct vtb_event pending[] = {
			{ .thread = 0, .kind = VTB_E_COND_WAKE, .var = COND, .site = 0 },
			{ .thread = 1, .kind = VTB_E_COND_WAKE, .var = OTHER, .site = 0 },
		};

		does(&r, 1, VTB_E_COND_SIGNAL, COND, "work", 1);
		does(&r, 0, VTB_E_COND_SIGNAL, mutual ? OTHER : TERM, "main", 1);
		does(&r, 0, VTB_E_COND_WAIT, COND, "main", 0);
		does(&r, 1, VTB_E_COND_WAIT, OTHER, "work", 0);
		assert_string_equal(
		    hangs(&r, pending, 2, VTB_V_CONDITION_DEADLOCK),
		    mutual ? "condition-deadlock: 0 waits on cv at a.c:12, and nobody is left to signal it"
		           : "condition-deadlock: 0.0 waits on other at a.c:13, and nobody is left to signal it");
	}
}

/* Thread 0 waits for what nobody has ever signalled; thread 1 was left by a signal for one of several. */
static void who_is_left_by_a_signal_for_one_is_told_before_who_never_had_one(void **state)
{
	struct run r = { 0 };
	struct vtb_event pending[] = {
		{ .thread = 0, .kind = VTB_E_COND_WAKE, .var = OTHER, .site = 0 },
		{ .thread = 1, .kind = VTB_E_COND_WAKE, .var = COND, .site = 0 },
	};

	(void)state;
	does(&r, 0, VTB_E_COND_WAIT, OTHER, "main", 0);
	does(&r, 1, VTB_E_COND_WAIT, COND, "work", 0);
	does(&r, 2, VTB_E_COND_SIGNAL, COND, "stop", 1);
	assert_string_equal(
	    hangs(&r, pending, 2, VTB_V_CONDITION_DEADLOCK),
	    "condition-deadlock: 0.0 waits on cv at a.c:11, but the signal of 0.1 at a.c:12 woke another "
	    "waiter, and nobody signals it again");
}

/* What the signal was about, or something else, is looked at between it and the wait. */
static void who_looks_after_a_signal_has_not_missed_it(void **state)
{
	(void)state;
	for (int elsewhere = 0; elsewhere <= 1; elsewhere++) {
		struct run r = { 0 };
		struct vtb_event pending = { .thread = 0, .kind = VTB_E_COND_WAKE, .var = COND, .site = 0 };

		does(&r, 1, VTB_E_WRITE, FLAG, "stop", 1);
		does(&r, 1, VTB_E_COND_SIGNAL, COND, "stop", 0);
		does(&r, 0, VTB_E_LOCK, MUTEX, "main", 0);
		does(&r, 0, VTB_E_READ, elsewhere ? OTHER : FLAG, "main", 1);
		does(&r, 0, VTB_E_COND_WAIT, COND, "main", 0);
		assert_string_equal(
		    hangs(&r, &pending, 1, VTB_V_LOST_WAKEUP),
		    elsewhere ? "lost-wakeup: 0 waits on cv at a.c:14, but 0.0 had signalled it before that "
		                "at a.c:11, when nobody waited"
		              : "condition-deadlock: 0 waits on cv at a.c:14, and nobody is left to signal it");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_between_test_and_wait_is_what_lacks_the_mutex),
		cmocka_unit_test(a_signal_between_test_and_wait_is_to_be_blocked),
		cmocka_unit_test(of_two_waits_that_is_told_on_which_the_other_hangs),
		cmocka_unit_test(who_is_left_by_a_signal_for_one_is_told_before_who_never_had_one),
		cmocka_unit_test(who_looks_after_a_signal_has_not_missed_it),
		cmocka_unit_test(who_looks_again_at_one_place_is_not_two_halves_of_a_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
