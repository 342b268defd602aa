/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strategy aim: bugs of known patterns within a few schedules, however many threads are alike; and it comes to an end.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "aim_search.h"

static void begin(struct prog *p, int workers)
{
	*p = (struct prog){ .n_threads = workers + 1, .n_vars = 3, .n_locks = 3, .n_conds = 1, .routines = true };
	prog_create_all(p);
}

static void add(struct prog *p, int thread, enum prog_code code, int obj, int k)
{
	prog_add(p, thread, (struct prog_instr){ .code = code, .obj = obj, .reg = obj, .k = k });
}

/* Two variables that belong together are set one after the other; the last thread compares them. */
static void setters(struct prog *p, int n)
{
	begin(p, n + 1);
	for (int t = 1; t <= n; t++) {
		add(p, t, P_WRITE, 0, 1);
		add(p, t, P_WRITE, 1, 1);
	}
	add(p, n + 1, P_READ, 0, 0);
	add(p, n + 1, P_READ, 1, 0);
	prog_add(p, n + 1, (struct prog_instr){ .code = P_ASSERT_SAME, .reg = 0, .reg2 = 1 });
	prog_join_all(p);
}

static void halves_of_what_belongs_together_are_torn_apart(void **state)
{
	static const int numbers[] = { 1, 2, 5, 20 };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t first, all;
		struct prog p;

		setters(&p, numbers[i]);
		first = first_failure(&p, &all);
		print_message("%d setters: %llu\n", numbers[i], (unsigned long long)first);
		assert_true(first > 0 && first <= 8);
	}
}

/* Read under a lock, written under it another time: a thread that comes in between is not seen. */
static void a_lock_that_is_given_back_too_soon(void **state)
{
	uint64_t first, all;
	struct prog p;

	(void)state;
	begin(&p, 2);
	for (int t = 1; t <= 2; t++) {
		add(&p, t, P_LOCK, 0, 0);
		add(&p, t, P_READ, 0, 0);
		add(&p, t, P_UNLOCK, 0, 0);
		add(&p, t, P_LOCK, 0, 0);
		prog_add(&p, t, (struct prog_instr){ .code = P_STORE, .obj = 0, .reg = 0, .k = 1 });
		add(&p, t, P_UNLOCK, 0, 0);
	}
	prog_join_all(&p);
	add(&p, 0, P_READ, 0, 0);
	prog_add(&p, 0, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 2 });
	first = first_failure(&p, &all);
	assert_true(first > 0 && first <= 8);
}

/* The first read comes before both writes, the second one between them: both threads have to be stopped. */
static void two_stops_where_one_is_not_enough(void **state)
{
	uint64_t first, all;
	struct prog p;

	(void)state;
	begin(&p, 2);
	prog_add(&p, 1, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
	prog_add(&p, 1, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 1 });
	prog_add(&p, 1, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 0, .n = 1 });
	prog_add(&p, 1, (struct prog_instr){ .code = P_ASSERT_NE, .reg = 1, .k = 1 });
	add(&p, 2, P_WRITE, 0, 1);
	add(&p, 2, P_WRITE, 0, 2);
	prog_join_all(&p);
	first = first_failure(&p, &all);
	print_message("two stops: %llu\n", (unsigned long long)first);
	assert_true(first > 0 && first <= 12);
}

/* Where a thread reads what it writes next it is stopped before between others. */
static void an_update_is_torn_apart_first(void **state)
{
	uint64_t first, all;
	struct prog p;

	(void)state;
	begin(&p, 2);
	for (int t = 1; t <= 2; t++) {
		for (int i = 0; i < 4; i++)
			add(&p, t, P_WRITE, 0, i);
		for (int i = 0; i < 4; i++)
			add(&p, t, P_READ, 2, 0);
		add(&p, t, P_READ, 1, 0);
		prog_add(&p, t, (struct prog_instr){ .code = P_STORE, .obj = 1, .reg = 1, .k = 1 });
		for (int i = 0; i < 4; i++)
			add(&p, t, P_WRITE, 2, i);
	}
	prog_join_all(&p);
	add(&p, 0, P_READ, 1, 0);
	prog_add(&p, 0, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 1, .k = 2 });
	first = first_failure(&p, &all);
	print_message("update: %llu\n", (unsigned long long)first);
	assert_true(first > 0 && first <= 3);
}

/* The second one waits until the first has gone on, and does much after that: it is not stopped there for the first. */
static void nobody_is_stopped_for_who_has_gone_on(void **state)
{
	uint64_t first, all;
	struct prog p;

	(void)state;
	begin(&p, 2);
	add(&p, 1, P_LOCK, 0, 0);
	add(&p, 1, P_WRITE, 0, 1);
	add(&p, 1, P_WRITE, 0, 2);
	add(&p, 1, P_UNLOCK, 0, 0);
	add(&p, 1, P_WRITE, 0, 3);
	add(&p, 2, P_READ, 0, 0);
	add(&p, 2, P_LOCK, 0, 0);
	add(&p, 2, P_UNLOCK, 0, 0);
	for (int i = 0; i < 8; i++)
		add(&p, 2, P_WRITE, 0, i);
	prog_join_all(&p);
	first = first_failure(&p, &all);
	print_message("who has gone on: %llu schedules\n", (unsigned long long)all);
	assert_int_equal(first, 0);
	assert_true(all <= 43);
}

/* Who is woken does not look again, and between the two items another one has come. */
static void somebody_comes_in_before_who_was_woken(void **state)
{
	uint64_t first, all;
	struct prog p;

	(void)state;
	begin(&p, 3);
	for (int t = 1; t <= 2; t++) {
		add(&p, t, P_LOCK, 0, 0);
		add(&p, t, P_READ, 0, 0);
		prog_add(&p, t, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 0, .n = 1 });
		prog_add(&p, t, (struct prog_instr){ .code = P_WAIT, .obj = 0, .lock = 0 });
		add(&p, t, P_READ, 0, 0);
		prog_add(&p, t, (struct prog_instr){ .code = P_ASSERT_NE, .reg = 0, .k = 0 });
		prog_add(&p, t, (struct prog_instr){ .code = P_STORE, .obj = 0, .reg = 0, .k = -1 });
		add(&p, t, P_UNLOCK, 0, 0);
	}
	for (int item = 0; item < 2; item++) {
		add(&p, 3, P_LOCK, 0, 0);
		add(&p, 3, P_READ, 0, 0);
		prog_add(&p, 3, (struct prog_instr){ .code = P_STORE, .obj = 0, .reg = 0, .k = 1 });
		add(&p, 3, P_SIGNAL, 0, 0);
		add(&p, 3, P_UNLOCK, 0, 0);
	}
	prog_join_all(&p);
	first = first_failure(&p, &all);
	print_message("woken: %llu\n", (unsigned long long)first);
	assert_true(first > 0 && first <= 16);
}

/* Who wants the mutex that the stopped thread holds cannot come in between: no schedule is spent on that. */
static void nobody_is_stopped_where_the_other_one_has_to_wait(void **state)
{
	uint64_t under, bare;
	struct prog p;

	(void)state;
	for (int locked = 0; locked < 2; locked++) {
		begin(&p, 2);
		for (int t = 1; t <= 2; t++) {
			if (locked)
				add(&p, t, P_LOCK, 0, 0);
			for (int i = 0; i < 6; i++)
				add(&p, t, P_WRITE, 0, i);
			if (locked)
				add(&p, t, P_UNLOCK, 0, 0);
		}
		prog_join_all(&p);
		assert_int_equal(first_failure(&p, locked ? &under : &bare), 0);
	}
	print_message("six writes: %llu schedules, under a lock %llu\n", (unsigned long long)bare,
	              (unsigned long long)under);
	assert_true(bare > 10 && under == 1);
}

/* Each has taken its first lock: that takes a stop of every thread, and no fewer lead anywhere. */
static void a_circle_of_locks_is_closed_at_once(void **state)
{
	static const int numbers[] = { 2, 3 };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const int n = numbers[i];
		uint64_t first, all;
		struct prog p;

		begin(&p, n);
		for (int t = 1; t <= n; t++) {
			add(&p, t, P_LOCK, t - 1, 0);
			add(&p, t, P_LOCK, t % n, 0);
			add(&p, t, P_UNLOCK, t % n, 0);
			add(&p, t, P_UNLOCK, t - 1, 0);
		}
		prog_join_all(&p);
		first = first_failure(&p, &all);
		print_message("circle of %d: %llu\n", n, (unsigned long long)first);
		assert_true(first > 0 && first <= 3);
	}
}

/* All hold one more lock while they take the two: they are never there together, and no schedule is spent on that. */
static void a_circle_inside_a_lock_is_none(void **state)
{
	uint64_t first, all;
	struct prog p;

	(void)state;
	begin(&p, 2);
	for (int t = 1; t <= 2; t++) {
		add(&p, t, P_LOCK, 2, 0);
		add(&p, t, P_LOCK, t - 1, 0);
		add(&p, t, P_LOCK, t % 2, 0);
		add(&p, t, P_UNLOCK, t % 2, 0);
		add(&p, t, P_UNLOCK, t - 1, 0);
		add(&p, t, P_UNLOCK, 2, 0);
	}
	prog_join_all(&p);
	first = first_failure(&p, &all);
	print_message("inside a lock: %llu schedules\n", (unsigned long long)all);
	assert_int_equal(first, 0);
	assert_true(all <= 10);
}

/* A flag is read under the mutex of the condition, and set without it: who has read it is not there yet when it is
 * told. */
static void who_is_told_before_it_waits_is_found_at_once(void **state)
{
	uint64_t first, all;
	struct prog p;

	(void)state;
	begin(&p, 2);
	add(&p, 1, P_LOCK, 0, 0);
	add(&p, 1, P_READ, 0, 0);
	for (int i = 0; i < 4; i++)
		add(&p, 1, P_WRITE, 1, i);
	prog_add(&p, 1, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 0, .n = 1 });
	prog_add(&p, 1, (struct prog_instr){ .code = P_WAIT, .obj = 0, .lock = 0 });
	add(&p, 1, P_UNLOCK, 0, 0);
	for (int i = 0; i < 4; i++)
		add(&p, 2, P_WRITE, 2, i);
	add(&p, 2, P_WRITE, 0, 1);
	add(&p, 2, P_BROADCAST, 0, 0);
	prog_join_all(&p);
	first = first_failure(&p, &all);
	print_message("told too soon: %llu\n", (unsigned long long)first);
	assert_true(first > 0 && first <= 3);
}

/* One opens, one closes, and the others look twice: only who comes between the two, and lets the second come between
 * its own two looks, sees anything. Without a stop nobody has read yet what the first one leaves. */
static void what_nobody_has_read_yet_is_read(void **state)
{
	static const int numbers[] = { 1, 4, 18 };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t first, all;
		struct prog p;

		begin(&p, numbers[i] + 2);
		add(&p, 1, P_LOCK, 0, 0);
		add(&p, 1, P_WRITE, 0, 1);
		add(&p, 1, P_UNLOCK, 0, 0);
		add(&p, 2, P_LOCK, 0, 0);
		add(&p, 2, P_READ, 0, 0);
		prog_add(&p, 2, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 1, .n = 1 });
		add(&p, 2, P_WRITE, 0, 2);
		add(&p, 2, P_UNLOCK, 0, 0);
		for (int t = 3; t < numbers[i] + 3; t++) {
			add(&p, t, P_LOCK, 0, 0);
			add(&p, t, P_READ, 0, 0);
			add(&p, t, P_UNLOCK, 0, 0);
			prog_add(&p, t, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 1, .n = 4 });
			add(&p, t, P_LOCK, 0, 0);
			add(&p, t, P_READ, 0, 0);
			add(&p, t, P_UNLOCK, 0, 0);
			prog_add(&p, t, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 1 });
		}
		prog_join_all(&p);
		first = first_failure(&p, &all);
		print_message("%d who look twice: %llu\n", numbers[i], (unsigned long long)first);
		assert_true(first > 0 && first <= 8);
	}
}

/* The first one that waits tells the second one; the other way round nobody does. They wait in this order only. */
static void another_waiter_is_woken_where_two_wait_for_different_things(void **state)
{
	uint64_t first, all;
	struct prog p;

	(void)state;
	begin(&p, 3);
	p.kinds = 1u << VTB_DEV_WAITER;
	add(&p, 1, P_LOCK, 0, 0);
	add(&p, 1, P_WRITE, 1, 1);
	add(&p, 1, P_READ, 0, 0);
	prog_add(&p, 1, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 0, .n = 1 });
	prog_add(&p, 1, (struct prog_instr){ .code = P_WAIT, .obj = 0, .lock = 0 });
	add(&p, 1, P_SIGNAL, 0, 0);
	add(&p, 1, P_UNLOCK, 0, 0);
	add(&p, 2, P_LOCK, 0, 0);
	add(&p, 2, P_READ, 1, 0);
	prog_add(&p, 2, (struct prog_instr){ .code = P_SKIP, .reg = 1, .k = 1, .n = 3 });
	add(&p, 2, P_READ, 0, 0);
	prog_add(&p, 2, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 0, .n = 1 });
	prog_add(&p, 2, (struct prog_instr){ .code = P_WAIT, .obj = 0, .lock = 0 });
	add(&p, 2, P_UNLOCK, 0, 0);
	add(&p, 3, P_LOCK, 0, 0);
	add(&p, 3, P_WRITE, 0, 1);
	add(&p, 3, P_SIGNAL, 0, 0);
	add(&p, 3, P_UNLOCK, 0, 0);
	prog_join_all(&p);
	first = first_failure(&p, &all);
	print_message("another waiter: %llu\n", (unsigned long long)first);
	assert_true(first > 0 && first <= 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves_of_what_belongs_together_are_torn_apart),
		cmocka_unit_test(a_lock_that_is_given_back_too_soon),
		cmocka_unit_test(two_stops_where_one_is_not_enough),
		cmocka_unit_test(an_update_is_torn_apart_first),
		cmocka_unit_test(nobody_is_stopped_for_who_has_gone_on),
		cmocka_unit_test(somebody_comes_in_before_who_was_woken),
		cmocka_unit_test(nobody_is_stopped_where_the_other_one_has_to_wait),
		cmocka_unit_test(a_circle_of_locks_is_closed_at_once),
		cmocka_unit_test(a_circle_inside_a_lock_is_none),
		cmocka_unit_test(who_is_told_before_it_waits_is_found_at_once),
		cmocka_unit_test(what_nobody_has_read_yet_is_read),
		cmocka_unit_test(another_waiter_is_woken_where_two_wait_for_different_things),
	};

	return cmocka_run_group_tests_name("aim", tests, NULL, NULL);
}
