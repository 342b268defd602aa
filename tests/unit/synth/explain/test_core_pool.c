/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of a pool that wait for each other's work; a semaphore that lets in one too many. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "scene.h"

/* Places of the program: work is put where it is looked for, and done. */
enum { PUT = 40, TAKE, WAIT, WAKE, MAINS };
enum { QUEUE = X, JOB = Y, DONE = COND }; /* DONE + n: of thread n's job */

static size_t does_at(struct scene *s, uint32_t thread, unsigned kind, uint32_t var, uint32_t site)
{
	const size_t at = does(s, thread, kind, var, 1);

	s->events[at].site = site;
	return at;
}

/* Main puts something into the queue, and a thread takes that out. */
static void begins_job(struct scene *s, uint32_t thread)
{
	does_at(s, 0, VTB_E_WRITE, QUEUE, MAINS);
	does_at(s, thread, VTB_E_READ, QUEUE, TAKE);
}

/* It hands on work of its own, and waits for that. */
static void waits_for_job(struct scene *s, uint32_t thread)
{
	const size_t put = does_at(s, thread, VTB_E_WRITE, JOB, PUT);

	s->events[put].addr += 64 * thread;
	does_at(s, thread, VTB_E_FUTEX_WAIT, DONE + thread, WAIT);
}

/* Thread 2 does the job of thread 1; or main does, or ends the wait. */
static struct scene passes(uint32_t takes, uint32_t wakes)
{
	struct scene s = { 0 };
	size_t take;

	begins_job(&s, 1);
	waits_for_job(&s, 1);
	take = does_at(&s, takes, VTB_E_READ, JOB, TAKE);
	s.events[take].addr += 64;
	does_at(&s, wakes, VTB_E_FUTEX_WAKE, DONE + 1, WAKE);
	does_at(&s, 1, VTB_E_FUTEX_WOKEN, DONE + 1, WAIT);
	return s;
}

enum twist { NONE, ONE_IS_FREE, ONE_LOOKS, WOKEN, NOTHING_TAKEN, ONE_ENDED };

static const char *starved(const struct scene *passing, const char *start, enum twist twist)
{
	struct scene s = { .verdict = VTB_V_CONDITION_DEADLOCK, .start = start, .passing = passing };
	size_t first, looks;

	if (twist != NOTHING_TAKEN)
		begins_job(&s, 1);
	begins_job(&s, 2);
	first = s.n_events;
	waits_for_job(&s, 1);
	if (twist == ONE_ENDED)
		does(&s, 2, VTB_E_THREAD_END, VTB_NONE, 0);
	else if (twist != ONE_IS_FREE)
		waits_for_job(&s, 2);
	if (twist == ONE_LOOKS) {
		looks = does_at(&s, 2, VTB_E_READ, JOB, TAKE);
		s.events[looks].addr = s.events[first].addr;
	}
	if (twist == WOKEN)
		does_at(&s, 2, VTB_E_FUTEX_WAKE, DONE + 1, WAKE);
	for (uint32_t t = 1; t <= (twist == ONE_ENDED ? 1 : 2); t++)
		s.pending[s.n_pending++] =
		    (struct vtb_event){ .thread = (uint16_t)t,
			                .kind = VTB_E_PENDING,
			                .aux = t == 2 && twist == ONE_IS_FREE ? VTB_E_LOCK : VTB_E_FUTEX_WOKEN,
			                .var = DONE + t };
	before(&s, 0, 1);
	return kind_of(&s);
}

static void all_wait_for_what_one_of_them_does_in_a_run_that_passes(void **state)
{
	const struct scene passing = passes(2, 2);

	(void)state;
	assert_string_equal(starved(&passing, "worker", NONE), "pool-starvation");
}

static void who_is_left_could_do_it(void **state)
{
	const struct scene passing = passes(2, 2);

	(void)state;
	assert_string_equal(starved(&passing, "worker", ONE_IS_FREE), "order-violation");
}

static void what_was_looked_at_is_not_left_to_be_done(void **state)
{
	const struct scene passing = passes(2, 2);

	(void)state;
	assert_string_equal(starved(&passing, "worker", ONE_LOOKS), "order-violation");
}

static void who_was_woken_waits_for_something_else(void **state)
{
	const struct scene passing = passes(2, 2);

	(void)state;
	assert_string_equal(starved(&passing, "worker", WOKEN), "order-violation");
}

static void who_took_up_nothing_is_in_no_task(void **state)
{
	const struct scene passing = passes(2, 2);

	(void)state;
	assert_string_equal(starved(&passing, "worker", NOTHING_TAKEN), "order-violation");
}

static void what_others_do_in_a_run_that_passes_is_no_pools(void **state)
{
	const struct scene both = passes(0, 0), woken = passes(2, 0), taken = passes(0, 2);

	(void)state;
	assert_string_equal(starved(&both, "worker", NONE), "order-violation");
	assert_string_equal(starved(&woken, "worker", NONE), "order-violation");
	assert_string_equal(starved(&taken, "worker", NONE), "order-violation");
}

static void threads_that_end_while_others_wait_are_no_pool(void **state)
{
	const struct scene passing = passes(2, 2);

	(void)state;
	assert_string_equal(starved(&passing, "worker", ONE_ENDED), "order-violation");
}

static void who_ends_the_others_wait_in_the_same_call_has_met_them(void **state)
{
	struct scene passing = passes(2, 2);

	(void)state;
	for (size_t i = 0; i < passing.n_events; i++)
		if (passing.events[i].kind == VTB_E_FUTEX_WAKE)
			passing.events[i].site = WAIT;
	assert_string_equal(starved(&passing, "worker", NONE), "order-violation");
}

static void nothing_is_said_where_no_run_passes_or_no_start_is_known(void **state)
{
	const struct scene passing = passes(2, 2);

	(void)state;
	assert_string_equal(starved(NULL, "worker", NONE), "order-violation");
	assert_string_equal(starved(&passing, NULL, NONE), "order-violation");
}

/* Two are in; thread 3 has posted before that, once for its wait and perhaps once more. In the run that passes each is
 * alone, or two are in, or one does not post. */
static const char *let_in(bool twice, unsigned alone)
{
	struct scene s = { .verdict = VTB_V_ASSERTION }, passing = { 0 };
	size_t first, then;

	for (uint32_t t = 1; t <= 2; t++) {
		does(&passing, t, VTB_E_SEM_WAIT, LOCK, 0);
		if (alone || t == 2)
			does(&passing, t, VTB_E_SEM_POST, LOCK, 0);
	}
	if (alone != 1)
		does(&passing, 1, alone ? VTB_E_SEM_WAIT : VTB_E_SEM_POST, LOCK, 0);
	s.passing = &passing;
	does(&s, 3, VTB_E_SEM_WAIT, LOCK, 0);
	for (unsigned i = 0; i <= twice; i++)
		does(&s, 3, VTB_E_SEM_POST, LOCK, 0);
	does(&s, 1, VTB_E_SEM_WAIT, LOCK, 0);
	first = does(&s, 1, VTB_E_WRITE, X, 1);
	does(&s, 2, VTB_E_SEM_WAIT, LOCK, 0);
	then = does(&s, 2, VTB_E_READ, X, 1);
	before(&s, first, then);
	return kind_of(&s);
}

static void a_post_too_many_lets_two_in(void **state)
{
	(void)state;
	assert_string_equal(let_in(true, 1), "semaphore-overposted");
	assert_string_equal(let_in(false, 1), "order-violation");
	assert_string_equal(let_in(true, 0), "order-violation"); /* two may be in */
	assert_string_equal(let_in(true, 2), "order-violation"); /* it is not given back */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_wait_for_what_one_of_them_does_in_a_run_that_passes),
		cmocka_unit_test(who_is_left_could_do_it),
		cmocka_unit_test(what_was_looked_at_is_not_left_to_be_done),
		cmocka_unit_test(who_was_woken_waits_for_something_else),
		cmocka_unit_test(who_took_up_nothing_is_in_no_task),
		cmocka_unit_test(what_others_do_in_a_run_that_passes_is_no_pools),
		cmocka_unit_test(a_post_too_many_lets_two_in),
		cmocka_unit_test(threads_that_end_while_others_wait_are_no_pool),
		cmocka_unit_test(who_ends_the_others_wait_in_the_same_call_has_met_them),
		cmocka_unit_test(nothing_is_said_where_no_run_passes_or_no_start_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
