/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of mistakes in which threads wait for a lock that nobody will give back. */
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <setjmp.h>
#include <cmocka.h>

#include "classes/classes.h"
#include "scene.h"

static void wants(struct scene *s, uint32_t thread, uint32_t lock)
{
	s->pending[s->n_pending++] = (struct vtb_event){ .thread = (uint16_t)thread, .kind = VTB_E_LOCK, .var = lock };
}

/* Thread 2 looks at X in the middle of what thread 1 does to it, and ends with the lock, or without it. */
static const char *ended(bool holds, enum vtb_verdict verdict)
{
	struct scene s = { .verdict = verdict };
	const size_t writes = does(&s, 1, VTB_E_WRITE, X, 0);
	size_t reads;

	does(&s, 2, VTB_E_LOCK, LOCK, 0);
	reads = does(&s, 2, VTB_E_READ, X, 0);
	if (!holds)
		does(&s, 2, VTB_E_UNLOCK, LOCK, 0);
	does(&s, 2, VTB_E_THREAD_END, VTB_NONE, 0);
	does(&s, 2, VTB_E_FAIL, VTB_NONE, 0);
	wants(&s, 1, LOCK);
	before(&s, writes, reads);
	before_what_was_to_come(&s, reads, 1, VTB_E_WRITE, X);
	return kind_of(&s);
}

static void who_ends_with_a_lock_has_abandoned_it(void **state)
{
	(void)state;
	assert_string_equal(ended(true, VTB_V_CONDITION_DEADLOCK), "abandoned-lock");
	assert_string_equal(ended(true, VTB_V_DEADLOCK), "abandoned-lock");
	assert_string_equal(ended(false, VTB_V_CONDITION_DEADLOCK), "atomicity-violation");
	assert_string_equal(ended(true, VTB_V_ASSERTION), "atomicity-violation");
}

/* Its last owner has ended with it: who takes a robust mutex then has it. */
static void who_takes_over_from_a_dead_owner_has_the_lock(void **state)
{
	struct scene s = { .verdict = VTB_V_ASSERTION };
	size_t reads[3];

	(void)state;
	does(&s, 1, VTB_E_LOCK, LOCK, EOWNERDEAD);
	reads[0] = does(&s, 1, VTB_E_READ, X, 0);
	does(&s, 1, VTB_E_UNLOCK, LOCK, 0);
	does(&s, 1, VTB_E_TRYLOCK, LOCK, EBUSY);
	reads[1] = does(&s, 1, VTB_E_READ, X, 0);
	does(&s, 1, VTB_E_LOCK, LOCK, 0);
	does(&s, 1, VTB_E_UNLOCK, LOCK, EPERM);
	reads[2] = does(&s, 1, VTB_E_READ, X, 0);
	for (size_t i = 0; i < 3; i++) {
		const struct vtb_exec x = { .events = s.events, .n_events = s.n_events };

		assert_int_equal(core_holds_lock(&x, reads[i], LOCK), i != 1);
	}
}

static const char *locks_twice(uint32_t second)
{
	struct scene s = { .verdict = VTB_V_DEADLOCK };
	const size_t first = does(&s, 1, VTB_E_LOCK, LOCK, 0);

	wants(&s, 2, LOCK);
	wants(&s, 1, second);
	before_what_was_to_come(&s, first, 2, VTB_E_LOCK, LOCK);
	return kind_of(&s);
}

static void who_locks_again_what_it_holds_is_in_no_circle(void **state)
{
	(void)state;
	assert_string_equal(locks_twice(LOCK), "self-deadlock");
	assert_string_equal(locks_twice(INNER), "deadlock");
}

/* Thread 1 waits to be woken with the mutex INNER, and with LOCK held all the time, or not any more; thread 2 needs
 * LOCK. */
static const char *waits_with(bool holds, unsigned kind, enum vtb_verdict verdict)
{
	struct scene s = { .verdict = verdict };
	const size_t first = does(&s, 1, VTB_E_LOCK, LOCK, 0);

	does(&s, 1, VTB_E_LOCK, INNER, 0);
	if (!holds)
		does(&s, 1, VTB_E_UNLOCK, LOCK, 0);
	waits(&s, 1, COND, INNER, VTB_E_COND_WAIT);
	s.pending[s.n_pending++] = (struct vtb_event){ .thread = 1, .kind = (uint8_t)kind, .var = COND };
	wants(&s, 2, LOCK);
	before_what_was_to_come(&s, first, 2, VTB_E_LOCK, LOCK);
	return kind_of(&s);
}

/* Thread 1 has a recursive LOCK twice and finds X not yet there; its wait gives LOCK back once, or it had it once.
 * Thread 2 needs LOCK before it changes X. */
static const char *waits_again(bool twice)
{
	struct scene s = { .verdict = VTB_V_CONDITION_DEADLOCK };
	size_t reads;

	does(&s, 1, VTB_E_LOCK, LOCK, 0);
	if (twice)
		does(&s, 1, VTB_E_LOCK, LOCK, 0);
	reads = does(&s, 1, VTB_E_READ, X, 0);
	waits(&s, 1, COND, LOCK, VTB_E_COND_WAIT);
	still_waits(&s, 1, COND);
	wants(&s, 2, LOCK);
	before_what_was_to_come(&s, reads, 2, VTB_E_WRITE, X);
	return kind_of(&s);
}

static void what_it_depends_on_may_come_after_the_lock(void **state)
{
	(void)state;
	assert_string_equal(waits_again(true), "wait-under-lock");
	assert_string_not_equal(waits_again(false), "wait-under-lock");
}

static void who_waits_to_be_woken_under_a_lock_that_others_need_keeps_them_from_it(void **state)
{
	(void)state;
	assert_string_equal(waits_with(true, VTB_E_COND_WAKE, VTB_V_CONDITION_DEADLOCK), "wait-under-lock");
	assert_string_equal(waits_with(true, VTB_E_SEM_WAIT, VTB_V_CONDITION_DEADLOCK), "wait-under-lock");
	assert_string_equal(waits_with(true, VTB_E_COND_WAKE, VTB_V_DEADLOCK), "deadlock");
	assert_string_not_equal(waits_with(false, VTB_E_COND_WAKE, VTB_V_CONDITION_DEADLOCK), "wait-under-lock");
	assert_string_not_equal(waits_with(true, VTB_E_THREAD_JOIN, VTB_V_CONDITION_DEADLOCK), "wait-under-lock");
}

/* Thread 1 has X and gives up waiting for Y, or has let X go before; thread 2 has Y, and waits for X. */
static const char *gives_up(unsigned kind, uint64_t value, bool has)
{
	struct scene s = { .verdict = VTB_V_ASSERTION };
	const size_t first = does(&s, 1, VTB_E_LOCK, X, 0);
	size_t held, tried;

	if (!has)
		does(&s, 1, VTB_E_UNLOCK, X, 0);
	held = does(&s, 2, VTB_E_LOCK, Y, 0);
	tried = does(&s, 1, kind, Y, value);
	s.pending[s.n_pending++] = (struct vtb_event){ .thread = 2, .kind = VTB_E_LOCK, .var = X };
	before(&s, held, tried);
	before_what_was_to_come(&s, first, 2, VTB_E_LOCK, X);
	return kind_of(&s);
}

static void a_circle_of_locks_that_a_deadline_ends_is_one(void **state)
{
	(void)state;
	assert_string_equal(gives_up(VTB_E_TIMEDLOCK, 110, true), "deadlock");
	assert_string_not_equal(gives_up(VTB_E_TIMEDLOCK, 0, true), "deadlock");
	assert_string_not_equal(gives_up(VTB_E_TIMEDLOCK, 110, false), "deadlock");
	assert_string_not_equal(gives_up(VTB_E_TRYLOCK, 16, true), "deadlock"); /* it does not wait */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_takes_over_from_a_dead_owner_has_the_lock),
		cmocka_unit_test(a_circle_of_locks_that_a_deadline_ends_is_one),
		cmocka_unit_test(who_ends_with_a_lock_has_abandoned_it),
		cmocka_unit_test(who_locks_again_what_it_holds_is_in_no_circle),
		cmocka_unit_test(who_waits_to_be_woken_under_a_lock_that_others_need_keeps_them_from_it),
		cmocka_unit_test(what_it_depends_on_may_come_after_the_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
