/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vtb/chances.h"
#include "vtb/wire.h"

enum { MUTEX = 3, COND = 4, WORD = 5 };

static struct vtb_event event(uint16_t thread, uint8_t kind, uint32_t var)
{
	return (struct vtb_event){ .thread = thread,
		                   .kind = kind,
		                   .var = var,
		                   .site = VTB_NONE,
		                   .aux = kind == VTB_E_COND_WAIT || kind == VTB_E_COND_WAKE ? MUTEX : 0 };
}

/* The list as text: kind:target, ... */
static const char *list_of(const struct vtb_chances *c)
{
	static char text[256];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < c->n_list; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u:%u", i ? " " : "", c->list[i].kind,
		                         c->list[i].target);
	return text;
}

/* What is listed before, and of, event `at`. */
static const char *before(const struct vtb_exec *x, size_t at)
{
	static struct vtb_chances c;

	vtb_chances_begin(&c, x);
	for (size_t i = 0; i < at; i++)
		assert_int_equal(vtb_chances_feed(&c, i), 0);
	assert_int_equal(vtb_chances_before(&c, at), 0);
	return list_of(&c);
}

static const char *of(const struct vtb_exec *x, size_t at)
{
	static struct vtb_chances c;

	vtb_chances_begin(&c, x);
	for (size_t i = 0; i < at; i++)
		assert_int_equal(vtb_chances_feed(&c, i), 0);
	assert_int_equal(vtb_chances_of(&c, at), 0);
	return list_of(&c);
}

static void a_waiter_can_wake_while_the_mutex_is_free_and_nobody_has_signalled(void **state)
{
	struct vtb_event events[] = { event(1, VTB_E_LOCK, MUTEX),       event(1, VTB_E_COND_WAIT, COND),
		                      event(2, VTB_E_READ, WORD),        event(2, VTB_E_LOCK, MUTEX),
		                      event(2, VTB_E_COND_SIGNAL, COND), event(2, VTB_E_UNLOCK, MUTEX),
		                      event(1, VTB_E_COND_WAKE, COND) };
	struct vtb_wait waits[] = { { 2, 1, VTB_E_COND_WAKE, true }, { 6, 1, 0, false } };
	const struct vtb_exec x = {
		.events = events, .n_events = 7, .waits = waits, .n_waits = 2, .kinds = VTB_EXEC_ALL_KINDS
	};
	char both[32];

	(void)state;
	snprintf(both, sizeof(both), "%d:1 %d:1", VTB_DEV_TIMEOUT, VTB_DEV_SPURIOUS);
	assert_string_equal(before(&x, 1), "");
	assert_string_equal(before(&x, 2), both);
	assert_string_equal(before(&x, 3), both);
	assert_string_equal(before(&x, 4), ""); /* held */
	assert_string_equal(before(&x, 6), ""); /* signalled, and no longer waiting */
}

/* It has left the queue then, and waits for the mutex: the signal reaches somebody else, or nobody. */
static void a_deadline_passes_under_the_mutex_just_before_a_signal(void **state)
{
	struct vtb_event events[] = { event(1, VTB_E_LOCK, MUTEX),  event(1, VTB_E_COND_WAIT, COND),
		                      event(2, VTB_E_LOCK, MUTEX),  event(2, VTB_E_COND_SIGNAL, WORD),
		                      event(2, VTB_E_READ, WORD),   event(2, VTB_E_COND_BROADCAST, COND),
		                      event(2, VTB_E_UNLOCK, MUTEX) };
	struct vtb_wait waits[] = { { 2, 1, VTB_E_COND_WAKE, true } };
	struct vtb_exec x = { .events = events,
		              .n_events = 7,
		              .waits = waits,
		              .n_waits = 1,
		              .kinds = VTB_EXEC_ALL_KINDS | VTB_EXEC_LATE_UNDER_LOCK };
	char late[16];

	(void)state;
	snprintf(late, sizeof(late), "%d:1", VTB_DEV_TIMEOUT);
	assert_string_equal(before(&x, 3), ""); /* of another condition */
	assert_string_equal(before(&x, 4), "");
	assert_string_equal(before(&x, 5), late);
	assert_string_equal(before(&x, 6), ""); /* signalled */
	waits[0].armed = false;
	assert_string_equal(before(&x, 5), "");
	waits[0].armed = true;
	x.kinds = VTB_EXEC_ALL_KINDS; /* whoever ran it leaves a wait with the mutex only */
	assert_string_equal(before(&x, 5), "");
}

static void a_signal_can_wake_any_waiter_but_the_first(void **state)
{
	struct vtb_event events[] = { event(1, VTB_E_COND_WAIT, COND),   event(2, VTB_E_COND_WAIT, COND),
		                      event(3, VTB_E_COND_WAIT, COND),   event(0, VTB_E_COND_SIGNAL, COND),
		                      event(0, VTB_E_COND_SIGNAL, COND), event(0, VTB_E_COND_SIGNAL, COND) };
	const struct vtb_exec x = { .events = events, .n_events = 6, .kinds = VTB_EXEC_ALL_KINDS };

	(void)state;
	assert_string_equal(of(&x, 3), "3:1 3:2");
	assert_string_equal(of(&x, 4), "3:1");
	assert_string_equal(of(&x, 5), "");
	events[3].flags = VTB_EVF_DEVIATED;
	events[3].deviation = VTB_DEV_WAITER;
	events[3].place = 2;
	assert_string_equal(of(&x, 3), ""); /* its choice is made */
	assert_string_equal(of(&x, 4), "3:1");
}

static void a_signal_may_come_early_while_it_is_due_whatever_the_thread_does(void **state)
{
	struct vtb_event events[] = { event(0, VTB_E_READ, WORD), event(0, VTB_E_COND_WAIT, COND),
		                      event(1, VTB_E_READ, WORD), event(1, VTB_E_READ, WORD) };
	struct vtb_wait waits[] = { { 1, 0, VTB_E_SIGNAL_DUE, true }, { 3, 0, VTB_E_SIGNAL_DUE, false } };
	const struct vtb_exec x = {
		.events = events, .n_events = 4, .waits = waits, .n_waits = 2, .kinds = VTB_EXEC_ALL_KINDS
	};
	char due[16];

	(void)state;
	snprintf(due, sizeof(due), "%d:0", VTB_DEV_SIGNAL);
	assert_string_equal(before(&x, 0), "");
	assert_string_equal(before(&x, 1), due);
	assert_string_equal(before(&x, 2), due);
	assert_string_equal(before(&x, 3), "");
}

static void only_a_weak_compare_exchange_that_succeeded_can_fail(void **state)
{
	struct vtb_event events[] = { event(0, VTB_E_ATOMIC_RMW, WORD), event(0, VTB_E_ATOMIC_RMW, WORD),
		                      event(0, VTB_E_ATOMIC_CAS_FAIL, WORD) };
	struct vtb_exec x = { .events = events, .n_events = 3, .kinds = VTB_EXEC_ALL_KINDS };
	struct vtb_chances c = { 0 };

	(void)state;
	events[1].flags = VTB_EVF_WEAK;
	assert_string_equal(of(&x, 0), "");
	assert_string_equal(of(&x, 1), "6:0");
	assert_string_equal(of(&x, 2), "");
	assert_int_equal(vtb_chances_possible(&c, &x), 1u << VTB_DEV_CAS_FAIL);
	x.outcome.flags = VTB_OUT_TIMED; /* a lock with a deadline was free */
	assert_int_equal(vtb_chances_possible(&c, &x), 1u << VTB_DEV_CAS_FAIL | 1u << VTB_DEV_TIMEOUT);
	x.kinds = 0; /* whoever ran it cannot make it fail, nor time pass */
	assert_int_equal(vtb_chances_possible(&c, &x), 0);
	vtb_chances_fini(&c);
}

static void sleepers_and_timed_waits_are_charged_to_the_clock(void **state)
{
	struct vtb_event events[] = { event(1, VTB_E_READ, WORD), event(2, VTB_E_READ, WORD),
		                      event(2, VTB_E_READ, WORD) };
	struct vtb_wait waits[] = { { 1, 1, VTB_E_SLEEP, true }, { 2, 1, 0, false } };
	const struct vtb_exec x = {
		.events = events, .n_events = 3, .waits = waits, .n_waits = 2, .kinds = VTB_EXEC_ALL_KINDS
	};
	struct vtb_chances c = { 0 };

	(void)state;
	vtb_chances_begin(&c, &x);
	assert_int_equal(vtb_chances_before(&c, 1), 0);
	assert_int_equal(c.n_list, 1);
	assert_int_equal(c.list[0].kind, VTB_DEV_TIMEOUT);
	assert_int_equal(c.list[0].var, VTB_CHANCE_CLOCK);
	assert_int_equal(vtb_chances_before(&c, 2), 0);
	assert_int_equal(c.n_list, 0);
	vtb_chances_fini(&c);
}

static void before_time_ends_a_wait_chance_could_have(void **state)
{
	struct vtb_event events[] = { event(1, VTB_E_LOCK, MUTEX), event(1, VTB_E_COND_WAIT, COND),
		                      event(1, VTB_E_COND_WAKE, COND) };
	struct vtb_wait waits[] = { { 2, 1, VTB_E_COND_WAKE, true }, { 2, 1, 0, true } };
	const struct vtb_exec x = {
		.events = events, .n_events = 3, .waits = waits, .n_waits = 2, .kinds = VTB_EXEC_ALL_KINDS
	};
	char spurious[16];

	(void)state;
	snprintf(spurious, sizeof(spurious), "%d:1", VTB_DEV_SPURIOUS);
	assert_string_equal(before(&x, 2), spurious); /* and no deadline: it passes anyway */
	waits[1].armed = false;                       /* the wait has ended for another reason */
	assert_string_equal(before(&x, 2), "");
}

static void kinds_have_words_and_an_order(void **state)
{
	char buf[160], small[8];

	(void)state;
	assert_string_equal(vtb_chances_words(0, buf, sizeof(buf)), "");
	assert_string_equal(vtb_chances_words(1u << VTB_DEV_CAS_FAIL | 1u << VTB_DEV_TIMEOUT, buf, sizeof(buf)),
	                    "passing deadlines, failing weak compare-exchanges");
	assert_string_equal(vtb_chances_words(VTB_EXEC_ALL_KINDS, small, sizeof(small)), "passing");
	assert_true(vtb_chance_class(VTB_DEV_TIMEOUT) < vtb_chance_class(VTB_DEV_SPURIOUS));
	assert_true(vtb_chance_class(VTB_DEV_SPURIOUS) < vtb_chance_class(VTB_DEV_WAITER));
	assert_true(vtb_chance_class(VTB_DEV_WAITER) < vtb_chance_class(VTB_DEV_CAS_FAIL));
	assert_true(vtb_chance_class(VTB_DEV_CAS_FAIL) < vtb_chance_class(VTB_DEV_SIGNAL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_waiter_can_wake_while_the_mutex_is_free_and_nobody_has_signalled),
		cmocka_unit_test(a_deadline_passes_under_the_mutex_just_before_a_signal),
		cmocka_unit_test(a_signal_can_wake_any_waiter_but_the_first),
		cmocka_unit_test(a_signal_may_come_early_while_it_is_due_whatever_the_thread_does),
		cmocka_unit_test(only_a_weak_compare_exchange_that_succeeded_can_fail),
		cmocka_unit_test(sleepers_and_timed_waits_are_charged_to_the_clock),
		cmocka_unit_test(before_time_ends_a_wait_chance_could_have),
		cmocka_unit_test(kinds_have_words_and_an_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
