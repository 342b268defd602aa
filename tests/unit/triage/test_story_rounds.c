/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that go round at the end of a run: which steps each of them repeats. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "vtb/story.h"
#include "vtb/story_rounds.h"

#define EVENTS 400u

enum { A, B, VARIABLES };

static struct vtb_event events[EVENTS];
static struct vtb_variable variables[VARIABLES] = { [A] = { .name = "a" }, [B] = { .name = "b" } };
static struct vtb_site sites[] = { { .file = "l.c", .line = 7 },
	                           { .file = "l.c", .line = 8 },
	                           { .file = "l.c", .line = 9 } };
static struct vtb_thread threads[] = { { .path = "0", .start = "main" },
	                               { .path = "0.0", .start = "one" },
	                               { .path = "0.1", .start = "two" } };
static const struct vtb_symtab tab = { .variables = variables,
	                               .n_variables = VARIABLES,
	                               .sites = sites,
	                               .n_sites = 3,
	                               .threads = threads,
	                               .n_threads = 3 };

static void does(struct vtb_exec *x, uint16_t thread, uint8_t kind, uint32_t var, uint32_t site, uint64_t value)
{
	for (uint32_t i = 0; i < VARIABLES; i++)
		variables[i].object = VTB_NONE;
	for (size_t i = 0; i < 3; i++)
		sites[i].module = VTB_NONE;
	events[x->n_events++] = (struct vtb_event){
		.thread = thread, .kind = kind, .var = var, .site = site, .flags = VTB_EVF_VALUE, .value = value
	};
}

/* Takes one lock, tries the other in vain, gives the one back. */
static void round_of(struct vtb_exec *x, uint16_t thread, uint32_t first, uint32_t then)
{
	does(x, thread, VTB_E_LOCK, first, 0, 0);
	does(x, thread, VTB_E_TRYLOCK, then, 1, 16);
	does(x, thread, VTB_E_UNLOCK, first, 2, 0);
}

static struct vtb_exec run(unsigned rounds, unsigned of_second)
{
	struct vtb_exec x = { .events = events,
		              .outcome = {
		                  .verdict = VTB_V_LIVELOCK, .thread = 1, .site = VTB_NONE, .var = VTB_NONE } };

	for (unsigned i = 0; i < rounds; i++) {
		round_of(&x, 1, A, B);
		if (i < of_second)
			round_of(&x, 2, B, A);
	}
	return x;
}

static const char *headline(const struct vtb_exec *x)
{
	static char text[2000];
	struct vtb_story story;

	vtb_story_find(x, &tab, NULL, &story);
	return vtb_story_sentence(x, &tab, &story, text, sizeof(text));
}

static void each_of_two_that_go_round_is_told_with_its_steps(void **state)
{
	const struct vtb_exec x = run(30, 30);

	(void)state;
	assert_string_equal(headline(&x),
	                    "livelock: 0.0 one again and again locks a at l.c:7, tries to lock b: did not get it at "
	                    "l.c:8, unlocks a at l.c:9; 0.1 two again and again locks b at l.c:7, tries to lock a: did "
	                    "not get it at l.c:8, unlocks b at l.c:9; none of them gets any further");
}

static void one_alone_that_goes_round_is_no_such_circle(void **state)
{
	const struct vtb_exec x = run(30, 1);

	(void)state;
	assert_string_equal(headline(&x), "");
}

static void a_loop_within_the_round_is_not_the_round(void **state)
{
	struct vtb_exec x = { .events = events };
	size_t steps[VTB_ROUND_STEPS];

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		does(&x, 1, VTB_E_READ, A, 0, 0);
		for (unsigned k = 0; k < 6; k++)
			does(&x, 1, VTB_E_READ, B, 1, 0);
	}
	assert_int_equal(vtb_story_round(&x, 1, steps), 7);
	assert_int_equal(steps[6], x.n_events - 1);
	assert_int_equal(vtb_story_round(&x, 2, steps), 0);
}

static void who_has_ended_or_waits_goes_round_no_more(void **state)
{
	struct vtb_event waits = { .thread = 1, .kind = VTB_E_PENDING, .aux = VTB_E_COND_WAKE };
	struct vtb_exec x = run(30, 0);
	size_t steps[VTB_ROUND_STEPS];

	(void)state;
	assert_int_equal(vtb_story_round(&x, 1, steps), 3);
	x.pending = &waits;
	x.n_pending = 1;
	assert_int_equal(vtb_story_round(&x, 1, steps), 0);
	x.n_pending = 0;
	does(&x, 1, VTB_E_THREAD_END, VTB_NONE, 2, 0);
	assert_int_equal(vtb_story_round(&x, 1, steps), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_of_two_that_go_round_is_told_with_its_steps),
		cmocka_unit_test(one_alone_that_goes_round_is_no_such_circle),
		cmocka_unit_test(a_loop_within_the_round_is_not_the_round),
		cmocka_unit_test(who_has_ended_or_waits_goes_round_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
