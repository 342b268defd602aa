/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which locks a thread holds, as its events come by. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "vtb/thread_locks.h"

enum { A = 1, B, CONDITION, DATA };

static struct vtb_held_locks held;
static size_t n;

static int fresh(void **state)
{
	(void)state;
	held = (struct vtb_held_locks){ .n = 0 };
	n = 0;
	return 0;
}

static void does(unsigned kind, uint32_t var, uint64_t value, uint32_t mutex)
{
	struct vtb_event e = {
		.kind = (uint8_t)kind, .var = var, .value = value, .aux = mutex, .flags = VTB_EVF_VALUE
	};

	vtb_event_classify(&e);
	vtb_held_locks_step(&held, &e, n++);
}

static void holds(uint32_t lock, uint32_t depth, size_t since, bool shared)
{
	const struct vtb_held_lock *l = vtb_held_lock(&held, lock);

	assert_non_null(l);
	assert_int_equal(l->depth, depth);
	assert_int_equal(l->since, since);
	assert_int_equal(l->shared, shared);
}

static void locks_are_held_from_taking_to_giving_back(void **state)
{
	(void)state;
	assert_null(vtb_held_lock(&held, A));
	does(VTB_E_LOCK, A, 0, VTB_NONE);
	does(VTB_E_WRITE, DATA, 1, VTB_NONE);
	does(VTB_E_RDLOCK, B, 0, VTB_NONE);
	holds(A, 1, 0, false);
	holds(B, 1, 2, true);
	does(VTB_E_UNLOCK, A, 0, VTB_NONE);
	assert_null(vtb_held_lock(&held, A));
	does(VTB_E_RWUNLOCK, B, 0, VTB_NONE);
	does(VTB_E_UNLOCK, B, 0, VTB_NONE); /* it has it no more */
	assert_int_equal(held.n, 0);
	does(VTB_E_LOCK, VTB_NONE, 0, VTB_NONE);
	assert_int_equal(held.n, 0);
}

static void the_result_says_whether_it_was_taken(void **state)
{
	static const unsigned attempts[] = { VTB_E_TRYLOCK,   VTB_E_TIMEDLOCK, VTB_E_LOCK,
		                             VTB_E_TRYRDLOCK, VTB_E_TRYWRLOCK, VTB_E_WRLOCK };

	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++) {
		fresh(state);
		does(attempts[i], A, EBUSY, VTB_NONE);
		assert_null(vtb_held_lock(&held, A));
		does(attempts[i], A, 0, VTB_NONE);
		holds(A, 1, 1, attempts[i] == VTB_E_TRYRDLOCK);
	}
	does(VTB_E_LOCK, B, EOWNERDEAD, VTB_NONE);
	holds(B, 1, 2, false);
	does(VTB_E_UNLOCK, B, EPERM, VTB_NONE);
	holds(B, 1, 2, false);
}

static void a_recursive_lock_is_held_until_it_is_given_back_as_often(void **state)
{
	(void)state;
	does(VTB_E_LOCK, A, 0, VTB_NONE);
	does(VTB_E_LOCK, A, 0, VTB_NONE);
	holds(A, 2, 0, false);
	does(VTB_E_COND_WAIT, CONDITION, 0, A); /* gives it back once */
	holds(A, 1, 0, false);
	does(VTB_E_COND_WAKE, CONDITION, 0, A);
	does(VTB_E_UNLOCK, A, 0, VTB_NONE);
	holds(A, 1, 0, false);
	does(VTB_E_UNLOCK, A, 0, VTB_NONE);
	assert_int_equal(held.n, 0);
}

static void a_wait_is_no_gap_in_since_when(void **state)
{
	(void)state;
	does(VTB_E_LOCK, A, 0, VTB_NONE);
	does(VTB_E_LOCK, B, 0, VTB_NONE);
	does(VTB_E_COND_WAIT, CONDITION, 0, A);
	assert_null(vtb_held_lock(&held, A));
	holds(B, 1, 1, false);
	does(VTB_E_COND_WAKE, CONDITION, 0, A);
	holds(A, 1, 0, false);
	assert_int_equal(held.of[1].lock, A); /* taken after B */
	does(VTB_E_UNLOCK, A, 0, VTB_NONE);
	does(VTB_E_LOCK, A, 0, VTB_NONE);
	holds(A, 1, 5, false);
}

static void whose_deadline_has_passed_takes_the_lock_again_by_an_event(void **state)
{
	(void)state;
	does(VTB_E_LOCK, A, 0, VTB_NONE);
	does(VTB_E_COND_WAIT, CONDITION, 0, A);
	does(VTB_E_COND_WAKE, CONDITION, ETIMEDOUT, VTB_NONE);
	assert_null(vtb_held_lock(&held, A));
	does(VTB_E_LOCK, A, 0, VTB_NONE);
	holds(A, 1, 0, false);
	does(VTB_E_UNLOCK, A, 0, VTB_NONE);
	assert_int_equal(held.n, 0);
}

static void what_two_have_in_common_is_kept(void **state)
{
	struct vtb_held_locks first;

	(void)state;
	does(VTB_E_LOCK, A, 0, VTB_NONE);
	does(VTB_E_LOCK, B, 0, VTB_NONE);
	first = held;
	does(VTB_E_UNLOCK, B, 0, VTB_NONE);
	does(VTB_E_LOCK, B, 0, VTB_NONE);
	vtb_held_locks_meet(&first, &held, false);
	assert_int_equal(first.n, 2);
	vtb_held_locks_meet(&first, &held, true);
	assert_int_equal(first.n, 1);
	assert_int_equal(first.of[0].lock, A);
	vtb_held_locks_meet(&first, &(struct vtb_held_locks){ .n = 0 }, false);
	assert_int_equal(first.n, 0);
}

static void more_than_there_is_room_for_are_not_held(void **state)
{
	(void)state;
	for (uint32_t i = 0; i <= VTB_HELD_LOCKS_MAX; i++)
		does(VTB_E_LOCK, i, 0, VTB_NONE);
	assert_int_equal(held.n, VTB_HELD_LOCKS_MAX);
	assert_null(vtb_held_lock(&held, VTB_HELD_LOCKS_MAX));
	does(VTB_E_UNLOCK, VTB_HELD_LOCKS_MAX, 0, VTB_NONE);
	assert_int_equal(held.n, VTB_HELD_LOCKS_MAX);
	does(VTB_E_UNLOCK, 0, 0, VTB_NONE);
	assert_int_equal(held.of[0].lock, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(locks_are_held_from_taking_to_giving_back, fresh),
		cmocka_unit_test_setup(the_result_says_whether_it_was_taken, fresh),
		cmocka_unit_test_setup(a_recursive_lock_is_held_until_it_is_given_back_as_often, fresh),
		cmocka_unit_test_setup(a_wait_is_no_gap_in_since_when, fresh),
		cmocka_unit_test_setup(whose_deadline_has_passed_takes_the_lock_again_by_an_event, fresh),
		cmocka_unit_test_setup(what_two_have_in_common_is_kept, fresh),
		cmocka_unit_test_setup(more_than_there_is_room_for_are_not_held, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
