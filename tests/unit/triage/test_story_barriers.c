/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that meet at a barrier: what is ordered by that, and what should be. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "vtb/classify.h"
#include "vtb/rng.h"
#include "vtb/story.h"

enum { M_DATA, M_BARRIER, M_LOCK };

/* Thread 1 reads, thread 2 writes, thread 1 reads; before that thread 1 has left the barrier once, thread 2 so often;
 * with a lock each? Does thread 1 meet it again before it reads again? */
static const char *suggested_to(unsigned meets, bool locks, bool again)
{
	static struct vtb_variable variables[] = { { .name = "data" }, { .name = "bar" }, { .name = "m" } };
	static struct vtb_thread threads[] = { { .path = "0" }, { .path = "0.0" }, { .path = "0.1" } };
	static char text[400];
	struct vtb_symtab tab = { .variables = variables, .n_variables = 3, .threads = threads, .n_threads = 3 };
	struct vtb_event events[16];
	struct vtb_exec x = { .events = events };
	struct vtb_story story = {
		.pattern = VTB_PATTERN_ATOMICITY, .var = M_DATA, .n_steps = 3, .intruder = 1, .second = 2
	};
	const uint16_t who[] = { 1, 2, 1 };

	events[x.n_events++] = (struct vtb_event){ .thread = 1, .kind = VTB_E_BARRIER_LEAVE, .var = M_BARRIER };
	for (unsigned i = 0; i < meets; i++)
		events[x.n_events++] = (struct vtb_event){ .thread = 2, .kind = VTB_E_BARRIER_LEAVE, .var = M_BARRIER };
	for (unsigned i = 0; i < 3; i++) {
		if (i == 2 && again)
			events[x.n_events++] =
			    (struct vtb_event){ .thread = 1, .kind = VTB_E_BARRIER_LEAVE, .var = M_BARRIER };
		if (locks)
			events[x.n_events++] =
			    (struct vtb_event){ .thread = who[i], .kind = VTB_E_LOCK, .var = M_LOCK };
		story.steps[i].at = x.n_events;
		story.steps[i].event = events[x.n_events++] =
		    (struct vtb_event){ .thread = who[i], .kind = i == 1 ? VTB_E_WRITE : VTB_E_READ, .var = M_DATA };
		if (locks)
			events[x.n_events++] =
			    (struct vtb_event){ .thread = who[i], .kind = VTB_E_UNLOCK, .var = M_LOCK };
	}
	return vtb_story_suggest(&story, &x, &tab, text, sizeof(text));
}

static void what_two_do_between_the_same_meetings_is_ordered_by_another_one(void **state)
{
	(void)state;
	assert_non_null(strstr(suggested_to(1, false, false), "Let all wait at bar between"));
	assert_non_null(strstr(suggested_to(1, false, true), "has waited there 1 time by then"));
	assert_non_null(strstr(suggested_to(2, false, true), "has waited there 2 times by then"));
	assert_null(strstr(suggested_to(1, true, false), "bar"));
	assert_null(strstr(suggested_to(0, false, false), "bar"));
	assert_null(strstr(suggested_to(2, false, false), "bar"));
}

/* ---- random meetings of all threads, against how often each has left */

enum { THREADS = 3, EVENTS = 60 };

struct steps {
	struct vtb_event events[EVENTS];
	uint32_t left[EVENTS], arrived[EVENTS]; /* by the event's thread before it */
	size_t n;
};

/* Each thread works, arrives, and leaves when all have arrived. */
static void meet(uint64_t seed, struct steps *s)
{
	uint32_t left[THREADS] = { 0 }, arrived[THREADS] = { 0 };

	for (s->n = 0; s->n < EVENTS;) {
		const uint32_t t = (uint32_t)(vtb_rng_next(&seed) % THREADS);
		bool all = true;
		unsigned kind = vtb_rng_next(&seed) % 3 ? VTB_E_WRITE : VTB_E_BARRIER_ARRIVE;

		for (uint32_t k = 0; k < THREADS; k++)
			all &= arrived[k] > left[t];
		if (arrived[t] > left[t] && !all)
			continue;
		kind = arrived[t] > left[t] ? VTB_E_BARRIER_LEAVE : kind;
		s->left[s->n] = left[t];
		s->arrived[s->n] = arrived[t];
		s->events[s->n++] = (struct vtb_event){ .thread = (uint16_t)t, .kind = (uint8_t)kind };
		left[t] += kind == VTB_E_BARRIER_LEAVE;
		arrived[t] += kind == VTB_E_BARRIER_ARRIVE;
	}
}

static void what_comes_before_a_meeting_comes_before_what_comes_after_it(void **state)
{
	static struct vtb_thread threads[THREADS];
	const struct vtb_symtab tab = { .threads = threads, .n_threads = THREADS };
	struct steps s;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		const struct vtb_exec x = { .events = s.events, .n_events = EVENTS };

		meet(seed, &s);
		for (size_t a = 0; a < EVENTS; a++)
			for (size_t b = a + 1; b < EVENTS; b++) {
				const bool works = s.events[a].kind == VTB_E_WRITE && s.events[b].kind == VTB_E_WRITE,
				           own = s.events[a].thread == s.events[b].thread;

				if (works)
					assert_int_equal(vtb_classify_forced(&x, &tab, a, b),
					                 own || s.arrived[a] < s.left[b]);
			}
	}
}

#define MANY 20000u /* by each of two threads: to walk through the run for each pair would take an hour */

/* All that main writes comes before its thread reads it, in every schedule. */
static void of_a_long_run_whose_orders_are_all_forced_none_is_told_and_soon(void **state)
{
	static struct vtb_thread threads[] = { { .parent = VTB_NONE }, { .parent = 0 } };
	static struct vtb_event events[2 * MANY + 2];
	const struct vtb_symtab tab = { .threads = threads, .n_threads = 2 };
	const struct vtb_exec x = { .events = events, .n_events = 2 * MANY + 2, .outcome = { .thread = 1 } };
	struct vtb_triple triple;

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		events[i] = (struct vtb_event){ .kind = VTB_E_WRITE, .addr = 0x1000, .size = 4 };
		events[MANY + 1 + i] = (struct vtb_event){ .thread = 1, .kind = VTB_E_READ, .addr = 0x1000, .size = 4 };
	}
	events[MANY] = (struct vtb_event){ .kind = VTB_E_THREAD_CREATE, .var = VTB_NONE };
	events[2 * MANY + 1] = (struct vtb_event){ .thread = 1, .kind = VTB_E_FAIL, .var = VTB_NONE };
	assert_true(vtb_classify_forced(&x, &tab, 0, MANY + 1));
	assert_false(vtb_classify_order(&x, &tab, &triple));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_two_do_between_the_same_meetings_is_ordered_by_another_one),
		cmocka_unit_test(of_a_long_run_whose_orders_are_all_forced_none_is_told_and_soon),
		cmocka_unit_test(what_comes_before_a_meeting_comes_before_what_comes_after_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
