/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "one_step.h"

/* Objects. */
enum { LEFT, LOCK, OTHER_LOCK, FLAG };

/* A thread's functions, the outermost first: "worker:9 sell:18 left:8". */
static struct vtb_call calls[512];
static struct vtb_call_stack stacks[128];
static struct vtb_event events[128], pending[4];
static char names[8192];
static size_t n_names;
static struct vtb_run_calls under_way;
static struct vtb_exec run;

static int fresh(void **state)
{
	(void)state;
	n_names = 0;
	under_way = (struct vtb_run_calls){ .calls = calls, .of_event = stacks };
	run = (struct vtb_exec){ .events = events, .pending = pending };
	return 0;
}

static const char *keep(const char *text, size_t n)
{
	char *at = names + n_names;

	assert_true(n_names + n + 1 < sizeof(names));
	memcpy(at, text, n);
	at[n] = 0;
	n_names += n + 1;
	return at;
}

static void stack(const char *text)
{
	size_t words = 1;

	for (const char *c = text; *c; c++)
		words += *c == ' ';
	for (size_t i = 0; i < words; i++) {
		const char *end = text + strcspn(text, ":");

		calls[under_way.n_calls + words - 1 - i] =
		    (struct vtb_call){ .function = keep(text, (size_t)(end - text)),
			               .file = "shop.cc",
			               .line = (uint32_t)(end[1] - '0') };
		text = end + 2 + (end[2] == ' ');
	}
	stacks[under_way.n_of_event++] = (struct vtb_call_stack){ under_way.n_calls, words };
	under_way.n_calls += words;
}

static struct vtb_event event(unsigned thread, unsigned kind, uint32_t object, const char *text)
{
	const char *last = strrchr(text, ':');
	struct vtb_event e = { .thread = (uint16_t)thread,
		               .kind = (uint8_t)kind,
		               .var = object,
		               .site = (uint32_t)(last[1] - '0') * 100 + kind,
		               .aux = kind == VTB_E_COND_WAIT || kind == VTB_E_COND_WAKE ? LOCK : 0 };

	stack(text);
	vtb_event_classify(&e);
	return e;
}

static void op(unsigned thread, unsigned kind, uint32_t object, const char *text)
{
	events[run.n_events] = event(thread, kind, object, text);
	run.n_events++;
}

/* A getter with a lock, at line `line` of worker's or of what it calls. */
static void locked(unsigned thread, unsigned kind, uint32_t lock, const char *text)
{
	op(thread, VTB_E_LOCK, lock, text);
	op(thread, kind, LEFT, text);
	op(thread, VTB_E_UNLOCK, lock, text);
}

static void expect(size_t i, unsigned n)
{
	uint8_t ret[132];

	assert_int_equal(vtb_one_step_calls(&run, &under_way, ret), 0);
	assert_int_equal(ret[i], n);
}

static void a_getter_is_told_by_who_does_more(void **state)
{
	(void)state;
	locked(1, VTB_E_READ, LOCK, "worker:1 left:8");
	locked(2, VTB_E_WRITE, LOCK, "worker:2 take:9");
	locked(1, VTB_E_WRITE, LOCK, "worker:2 take:9");
	expect(0, 1);
	expect(1, 1);
	expect(2, 1);
	expect(7, 1);
	expect(4, 1); /* thread 2 does no more than that, but the function is known */
}

static void so_is_a_getter_of_a_getter(void **state)
{
	(void)state;
	locked(1, VTB_E_READ, LOCK, "worker:1 shop_left:5 left:8");
	locked(2, VTB_E_WRITE, LOCK, "worker:2 take:9");
	locked(1, VTB_E_WRITE, LOCK, "worker:2 take:9");
	expect(1, 2);
}

static void what_does_more_than_one_step_is_told_itself(void **state)
{
	(void)state;
	locked(1, VTB_E_READ, LOCK, "worker:1 sell:3 left:8");
	locked(2, VTB_E_READ, LOCK, "worker:1 sell:3 left:8");
	locked(1, VTB_E_WRITE, LOCK, "worker:1 sell:4 take:9");
	locked(1, VTB_E_READ, LOCK, "worker:2 left:8");
	expect(1, 1);
	expect(7, 1);
	expect(10, 1);
}

static void without_a_lock_it_is_told_itself(void **state)
{
	(void)state;
	op(1, VTB_E_READ, LEFT, "worker:1 left:8");
	op(2, VTB_E_READ, LEFT, "worker:1 left:8");
	op(1, VTB_E_WRITE, LEFT, "worker:2 take:9");
	expect(0, 0);
}

static void so_it_is_with_another_lock(void **state)
{
	(void)state;
	locked(1, VTB_E_READ, LOCK, "worker:1 left:8");
	locked(2, VTB_E_WRITE, OTHER_LOCK, "worker:2 take:9");
	locked(1, VTB_E_READ, LOCK, "worker:2 left:8");
	expect(1, 0);
	expect(4, 0);
}

static void before_threads_are_made_no_lock_is_needed(void **state)
{
	(void)state;
	op(0, VTB_E_WRITE, LEFT, "main:1 start:2");
	op(0, VTB_E_THREAD_CREATE, VTB_NONE, "main:2");
	locked(1, VTB_E_READ, LOCK, "worker:1 left:8");
	locked(1, VTB_E_WRITE, LOCK, "worker:2 take:9");
	locked(0, VTB_E_READ, LOCK, "main:3 left:8");
	op(0, VTB_E_THREAD_JOIN, VTB_NONE, "main:4");
	op(0, VTB_E_READ, LEFT, "main:5");
	expect(3, 1);
	expect(9, 1);
}

static void wrappers_of_atomics_and_locks_are_one_operation(void **state)
{
	(void)state;
	op(1, VTB_E_ATOMIC_LOAD, FLAG, "worker:1 get:7");
	op(2, VTB_E_ATOMIC_LOAD, FLAG, "worker:1 get:7");
	op(1, VTB_E_ATOMIC_STORE, FLAG, "worker:1 set:8");
	op(1, VTB_E_LOCK, LOCK, "worker:2 guard:5 lock:6");
	op(1, VTB_E_UNLOCK, LOCK, "worker:3 unlock:7");
	expect(0, 1);
	expect(2, 1);
	expect(3, 2);
	expect(4, 1);
	expect(1, 1);
}

static void a_loop_calls_anew(void **state)
{
	(void)state;
	op(2, VTB_E_ATOMIC_STORE, FLAG, "other:1");
	for (int i = 0; i < 3; i++)
		op(1, VTB_E_ATOMIC_LOAD, FLAG, "worker:1 get:7");
	expect(1, 1);
	expect(3, 1);
}

static void an_operation_that_is_not_done_needs_a_call_that_was(void **state)
{
	(void)state;
	op(1, VTB_E_LOCK, LOCK, "worker:1 lock:6");
	op(2, VTB_E_LOCK, OTHER_LOCK, "worker:2 lock:6");
	pending[run.n_pending++] = event(1, VTB_E_LOCK, OTHER_LOCK, "worker:2 lock:6");
	pending[run.n_pending++] = event(2, VTB_E_LOCK, LOCK, "worker:3 last:9");
	expect(0, 1);
	expect(2, 1);
	expect(3, 0); /* nothing is known of last() */
}

static void nor_is_a_call_known_that_comes_to_no_end(void **state)
{
	(void)state;
	op(1, VTB_E_YIELD, VTB_NONE, "worker:1");
	op(2, VTB_E_YIELD, VTB_NONE, "worker:1");
	pending[run.n_pending++] = event(1, VTB_E_LOCK, LOCK, "worker:2 first:9");
	pending[run.n_pending++] = event(2, VTB_E_LOCK, LOCK, "worker:3 first:9");
	expect(2, 0);
	expect(3, 0);
}

static void from_one_place_it_is_told_itself(void **state)
{
	(void)state;
	op(1, VTB_E_SEM_POST, FLAG, "worker:1 finish:6");
	op(2, VTB_E_SEM_POST, FLAG, "worker:1 finish:6");
	expect(0, 0);
	op(2, VTB_E_SEM_POST, FLAG, "worker:2 finish:6");
	expect(0, 1);
	expect(2, 1);
}

/* Its operations on LEFT, with a wait between. */
static void waits(unsigned thread, bool looks_again, const char *text)
{
	op(thread, VTB_E_LOCK, LOCK, text);
	op(thread, VTB_E_READ, LEFT, text);
	op(thread, VTB_E_COND_WAIT, FLAG, text);
	op(thread, VTB_E_COND_WAKE, FLAG, text);
	if (looks_again)
		op(thread, VTB_E_READ, LEFT, text);
	op(thread, VTB_E_UNLOCK, LOCK, text);
}

static void a_wait_that_looks_again_is_one_step(void **state)
{
	(void)state;
	waits(1, true, "worker:1 wait:6");
	op(2, VTB_E_LOCK, LOCK, "worker:1 set:7");
	op(2, VTB_E_WRITE, LEFT, "worker:1 set:7");
	op(2, VTB_E_COND_SIGNAL, FLAG, "worker:1 set:7");
	op(2, VTB_E_UNLOCK, LOCK, "worker:1 set:7");
	waits(1, true, "worker:2 wait:6");
	locked(2, VTB_E_WRITE, LOCK, "worker:2 take:9");
	expect(2, 1);
	expect(8, 1);
}

static void one_that_does_not_is_none(void **state)
{
	(void)state;
	waits(1, false, "worker:1 wait:6");
	waits(2, false, "worker:2 wait:6");
	expect(1, 0);
	expect(3, 0);
}

/* Waits until its deadline, takes the mutex again, and lets it go; then it looks at LEFT, by two calls of a getter. */
static void looks_after_a_deadline(bool locks)
{
	op(1, VTB_E_LOCK, LOCK, "worker:1 wait:6");
	op(1, VTB_E_COND_WAIT, FLAG, "worker:1 wait:6");
	op(1, VTB_E_COND_WAKE, FLAG, "worker:1 wait:6");
	events[run.n_events - 1].aux = VTB_NONE; /* without the mutex */
	op(1, VTB_E_LOCK, LOCK, "worker:1 wait:6");
	op(1, VTB_E_UNLOCK, LOCK, "worker:1 wait:6");
	for (unsigned i = 0; i < 2; i++) {
		if (locks)
			op(1, VTB_E_LOCK, LOCK, i ? "worker:3 left:7" : "worker:2 left:7");
		op(1, VTB_E_READ, LEFT, i ? "worker:3 left:7" : "worker:2 left:7");
		op(1, VTB_E_READ, LEFT, i ? "worker:3 left:7" : "worker:2 left:7");
		if (locks)
			op(1, VTB_E_UNLOCK, LOCK, i ? "worker:3 left:7" : "worker:2 left:7");
	}
	locked(2, VTB_E_WRITE, LOCK, "worker:2 take:9");
}

static void whose_deadline_has_passed_does_not_have_the_lock_for_ever(void **state)
{
	(void)state;
	looks_after_a_deadline(false);
	expect(5, 0);
	fresh(state);
	looks_after_a_deadline(true);
	expect(6, 1);
}

static void what_allocates_or_frees_is_told_itself(void **state)
{
	(void)state;
	op(1, VTB_E_LOCK, LOCK, "worker:1 drop:8");
	op(1, VTB_E_READ, LEFT, "worker:1 drop:8");
	op(1, VTB_E_FREE, LEFT, "worker:1 drop:8");
	op(1, VTB_E_UNLOCK, LOCK, "worker:1 drop:8");
	locked(2, VTB_E_WRITE, LOCK, "worker:2 take:9");
	locked(1, VTB_E_WRITE, LOCK, "worker:2 take:9");
	expect(1, 0);
	expect(2, 0);
	expect(8, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_getter_is_told_by_who_does_more, fresh),
		cmocka_unit_test_setup(so_is_a_getter_of_a_getter, fresh),
		cmocka_unit_test_setup(what_does_more_than_one_step_is_told_itself, fresh),
		cmocka_unit_test_setup(without_a_lock_it_is_told_itself, fresh),
		cmocka_unit_test_setup(so_it_is_with_another_lock, fresh),
		cmocka_unit_test_setup(before_threads_are_made_no_lock_is_needed, fresh),
		cmocka_unit_test_setup(wrappers_of_atomics_and_locks_are_one_operation, fresh),
		cmocka_unit_test_setup(a_loop_calls_anew, fresh),
		cmocka_unit_test_setup(an_operation_that_is_not_done_needs_a_call_that_was, fresh),
		cmocka_unit_test_setup(nor_is_a_call_known_that_comes_to_no_end, fresh),
		cmocka_unit_test_setup(from_one_place_it_is_told_itself, fresh),
		cmocka_unit_test_setup(a_wait_that_looks_again_is_one_step, fresh),
		cmocka_unit_test_setup(whose_deadline_has_passed_does_not_have_the_lock_for_ever, fresh),
		cmocka_unit_test_setup(one_that_does_not_is_none, fresh),
		cmocka_unit_test_setup(what_allocates_or_frees_is_told_itself, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
