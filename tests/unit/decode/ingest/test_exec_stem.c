/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of operations with and without what main does before its first thread, against counting by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

#include "fail_alloc.h"
#include "vtb/exec_stem.h"

#define SITES 5u

static uint32_t drawn;

static uint32_t draw(uint32_t n)
{
	drawn = drawn * 1664525u + 1013904223u;
	return (drawn >> 8) % n;
}

static struct vtb_exec run_of(const unsigned char *kinds, size_t n)
{
	struct vtb_exec x = { .n_events = n };

	x.events = calloc(n, sizeof(*x.events));
	for (size_t i = 0; i < n; i++)
		x.events[i] = (struct vtb_event){ .thread = 3, .kind = kinds[i], .site = draw(SITES) };
	return x;
}

/* Does the operation take part in a run without the stem, sites of `quiet` not looked at? And in a whole one? */
static bool is_seen(const struct vtb_event *e, const uint8_t *quiet)
{
	return !((e->kind == VTB_E_READ || e->kind == VTB_E_WRITE) && quiet[e->site]);
}

static void compare(const struct vtb_exec *x, size_t end, const struct vtb_stem *stem, const uint8_t *quiet)
{
	uint32_t whole = 0, shorter = 0;

	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		const bool out = i < end && vtb_event_in_stem(e->kind) == VTB_STEM_LEFT_OUT;

		whole += i >= end || is_seen(e, quiet);
		shorter += !out;
		if (out)
			continue;
		assert_int_equal(vtb_stem_whole(stem, shorter), whole);
		assert_int_equal(vtb_stem_whole_point(stem, shorter - 1), whole - 1);
		assert_int_equal(vtb_stem_short_point(stem, whole), shorter);
		assert_int_equal(vtb_stem_short_point(stem, whole - 1), shorter - 1);
	}
}

static void numbers_are_those_of_whole_runs(void **state)
{
	static const unsigned char some[] = { VTB_E_READ, VTB_E_WRITE, VTB_E_LOCK, VTB_E_UNLOCK,      VTB_E_FREE,
		                              VTB_E_READ, VTB_E_WRITE, VTB_E_READ, VTB_E_ATOMIC_STORE };
	unsigned char kinds[60];

	(void)state;
	for (drawn = 1; drawn < 400; drawn++) {
		const uint32_t seed = drawn, end = draw(50), least = draw(4);
		uint8_t quiet[SITES] = { 0 };
		struct vtb_exec x;
		struct vtb_stem stem;
		uint32_t left_out = 0;

		for (uint32_t i = 0; i < sizeof(kinds); i++) {
			kinds[i] = i == end ? VTB_E_THREAD_CREATE : some[draw(sizeof(some))];
			left_out += i < end && vtb_event_in_stem(kinds[i]) == VTB_STEM_LEFT_OUT;
		}
		x = run_of(kinds, sizeof(kinds));
		if (!left_out || left_out < least) {
			assert_int_equal(vtb_stem_of(&x, least, &stem), 0);
			assert_null(stem.sites);
		} else {
			assert_int_equal(vtb_stem_of(&x, least, &stem), 1);
			compare(&x, end, &stem, quiet);
			for (uint32_t k = 0; k < SITES; k++)
				quiet[k] = (uint8_t)draw(2);
			vtb_stem_quiet(&stem, quiet, SITES);
			compare(&x, end, &stem, quiet);
			vtb_stem_quiet(&stem, NULL, 0);
			compare(&x, end, &stem, (const uint8_t[SITES]){ 0 });
			vtb_stem_fini(&stem);
		}
		vtb_exec_fini(&x);
		drawn = seed;
	}
}

static void what_others_can_have_to_do_with_ends_it(void **state)
{
	static const unsigned char ends[] = { VTB_E_THREAD_CREATE, VTB_E_ATOMIC_CAS_FAIL,
		                              VTB_E_SLEEP,         VTB_E_SEM_WAIT,
		                              VTB_E_COND_WAIT,     VTB_E_FUTEX_WAIT,
		                              VTB_E_FORK,          VTB_E_SIGNAL_SEND,
		                              VTB_E_TIMEDLOCK,     VTB_E_IO_READ,
		                              VTB_E_YIELD,         VTB_E_PROCESS_EXIT,
		                              VTB_E_SIGNAL_HANDLE, VTB_E_FAIL,
		                              VTB_E_SIGNAL_OPEN };

	(void)state;
	for (size_t i = 0; i < sizeof(ends); i++) {
		const unsigned char kinds[] = { VTB_E_READ, VTB_E_READ, ends[i], VTB_E_READ, VTB_E_THREAD_CREATE };
		struct vtb_exec x = run_of(kinds, sizeof(kinds));
		struct vtb_stem stem;

		assert_int_equal(vtb_stem_of(&x, 3, &stem), 0);
		assert_int_equal(vtb_stem_of(&x, 2, &stem), 1);
		assert_int_equal(stem.told, 0);
		assert_int_equal(stem.before[0], 2);
		vtb_stem_fini(&stem);
		vtb_exec_fini(&x);
	}
}

static void a_signal_a_weak_exchange_or_another_thread_ends_it(void **state)
{
	static const unsigned char kinds[] = { VTB_E_READ, VTB_E_ATOMIC_RMW, VTB_E_READ, VTB_E_THREAD_CREATE };
	struct vtb_wait due = { .row = 1, .kind = VTB_E_SIGNAL_DUE };
	struct vtb_exec x = run_of(kinds, sizeof(kinds));
	struct vtb_stem stem;

	(void)state;
	assert_int_equal(vtb_stem_of(&x, 2, &stem), 1);
	assert_int_equal(stem.told, 1);
	vtb_stem_fini(&stem);
	x.events[1].flags |= VTB_EVF_WEAK;
	assert_int_equal(vtb_stem_of(&x, 2, &stem), 0);
	x.events[1].flags = 0;
	x.waits = &due;
	x.n_waits = 1;
	assert_int_equal(vtb_stem_of(&x, 2, &stem), 0);
	assert_int_equal(vtb_stem_of(&x, 1, &stem), 1);
	vtb_stem_fini(&stem);
	x.n_waits = 0;
	x.events[2].thread = 1; /* that nobody has created */
	assert_int_equal(vtb_stem_of(&x, 1, &stem), 0);
	x.waits = NULL;
	vtb_exec_fini(&x);
}

static void a_thread_that_was_there_before_main_leaves_none(void **state)
{
	static const unsigned char kinds[] = { VTB_E_READ, VTB_E_WRITE, VTB_E_THREAD_CREATE };
	struct vtb_exec x = run_of(kinds, sizeof(kinds));
	struct vtb_stem stem;

	(void)state;
	x.stride = 2;
	x.enabled = calloc(6, sizeof(*x.enabled));
	for (int i = 0; i < 3; i++)
		x.enabled[2 * i] = 1u << 3;
	assert_int_equal(vtb_stem_of(&x, 1, &stem), 1);
	vtb_stem_fini(&stem);
	x.enabled[3] = 1; /* thread 64 */
	assert_int_equal(vtb_stem_of(&x, 1, &stem), 0);
	vtb_exec_fini(&x);
}

static void a_schedule_for_short_runs_becomes_one_for_whole_ones(void **state)
{
	static const unsigned char kinds[] = { VTB_E_READ, VTB_E_LOCK, VTB_E_WRITE, VTB_E_FREE, VTB_E_THREAD_CREATE };
	const struct vtb_op lock = { .thread = 3, .index = 1 }, create = { .thread = 3, .index = 2 },
	                    other = { .thread = 4, .index = 1 };
	struct vtb_exec x = run_of(kinds, sizeof(kinds));
	struct vtb_schedule s = { 0 };
	struct vtb_stem stem;

	(void)state;
	assert_int_equal(vtb_stem_of(&x, 1, &stem), 1);
	assert_int_equal(vtb_schedule_deviate(&s, 3, 2, VTB_DEV_SWITCH, 4, VTB_NONE, 1), 0);
	assert_int_equal(vtb_schedule_deviate(&s, 4, 2, VTB_DEV_SWITCH, 3, VTB_NONE, 1), 0);
	assert_int_equal(vtb_schedule_constrain(&s, lock, other), 0);
	assert_int_equal(vtb_schedule_constrain(&s, other, create), 0);
	vtb_stem_lengthen(&stem, &s);
	assert_int_equal(s.deviations[0].after.index, 5);
	assert_int_equal(s.deviations[1].after.index, 2);
	assert_int_equal(s.constraints[0].before.index, 2);
	assert_int_equal(s.constraints[0].after.index, 1);
	assert_int_equal(s.constraints[1].after.index, 5);
	vtb_schedule_fini(&s);
	vtb_stem_fini(&stem);
	vtb_exec_fini(&x);
}

static void want_of_memory_leaves_nothing(void **state)
{
	static const unsigned char kinds[] = { VTB_E_READ, VTB_E_LOCK, VTB_E_THREAD_CREATE };
	struct vtb_exec x = run_of(kinds, sizeof(kinds));
	struct vtb_stem stem;

	(void)state;
	for (int i = 1; i <= 3; i++) {
		fail_in = i;
		assert_int_equal(vtb_stem_of(&x, 1, &stem), -ENOMEM);
		fail_in = 0;
		assert_null(stem.sites);
	}
	vtb_exec_fini(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_those_of_whole_runs),
		cmocka_unit_test(what_others_can_have_to_do_with_ends_it),
		cmocka_unit_test(a_signal_a_weak_exchange_or_another_thread_ends_it),
		cmocka_unit_test(a_thread_that_was_there_before_main_leaves_none),
		cmocka_unit_test(a_schedule_for_short_runs_becomes_one_for_whole_ones),
		cmocka_unit_test(want_of_memory_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
