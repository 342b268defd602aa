/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "sample.h"
#include "vtb/exec.h"
#include "vtb/exec_waits.h"

/* One row: who did what to which object, and whom the scheduler could have chosen. */
struct row {
	unsigned thread, kind;
	uint32_t var;
	uint64_t enabled;
	unsigned deviation;
};

static struct vtb_exec make(const struct row *rows, size_t n)
{
	struct vtb_exec x = { .stride = 1, .n_events = n, .n_enabled = n };

	x.events = calloc(n, sizeof(*x.events));
	x.enabled = calloc(n, sizeof(*x.enabled));
	for (size_t i = 0; i < n; i++) {
		x.events[i] = (struct vtb_event){ .thread = (uint16_t)rows[i].thread,
			                          .kind = (uint8_t)rows[i].kind,
			                          .var = rows[i].var,
			                          .site = VTB_NONE,
			                          .deviation = (uint8_t)rows[i].deviation,
			                          .flags = rows[i].deviation ? VTB_EVF_DEVIATED : 0 };
		x.enabled[i] = rows[i].enabled;
	}
	return x;
}
#define MAKE(rows) make(rows, sizeof(rows) / sizeof((rows)[0]))

static void tuple_is(const struct vtb_exec *x, unsigned c, unsigned v)
{
	const struct vtb_tuple t = vtb_exec_tuple(x);

	assert_int_equal(t.c, c);
	assert_int_equal(t.v, v);
}

/* Lost update: 1 reads, 2 reads and writes, 1 writes. One preemption at the first read; 2's end switches for free. */
static const struct row lost_update[] = {
	{ 1, VTB_E_READ, 5, 0x6, 0 },       { 2, VTB_E_READ, 5, 0x6, 0 },  { 2, VTB_E_WRITE, 5, 0x6, 0 },
	{ 2, VTB_E_THREAD_END, 6, 0x6, 0 }, { 1, VTB_E_WRITE, 5, 0x2, 0 },
};

static void a_preemption_is_charged_to_the_object_of_the_operation_before(void **state)
{
	struct vtb_exec x = MAKE(lost_update);

	(void)state;
	assert_false(vtb_exec_preempts(&x, 0));
	assert_true(vtb_exec_preempts(&x, 1));
	assert_false(vtb_exec_preempts(&x, 2));
	assert_false(vtb_exec_preempts(&x, 4));
	tuple_is(&x, 1, 1);
	vtb_exec_fini(&x);
}

static void a_switch_to_a_thread_just_enabled_is_free(void **state)
{
	/* 1 unlocks what 2 waits for: 2 may go on for free, 3 may not */
	static const struct row to_waiter[] = { { 1, VTB_E_UNLOCK, 7, 0xa, 0 }, { 2, VTB_E_LOCK, 7, 0xe, 0 } };
	static const struct row to_other[] = { { 1, VTB_E_UNLOCK, 7, 0xa, 0 }, { 3, VTB_E_READ, 5, 0xe, 0 } };
	static const struct row later[] = { { 1, VTB_E_UNLOCK, 7, 0xa, 0 },
		                            { 1, VTB_E_READ, 5, 0xe, 0 },
		                            { 2, VTB_E_LOCK, 7, 0xe, 0 } };
	struct vtb_exec a = MAKE(to_waiter), b = MAKE(to_other), c = MAKE(later);

	(void)state;
	tuple_is(&a, 0, 0);
	tuple_is(&b, 1, 1);
	tuple_is(&c, 1, 1);
	vtb_exec_fini(&a);
	vtb_exec_fini(&b);
	vtb_exec_fini(&c);
}

static void a_switch_away_from_a_thread_that_must_wait_is_free(void **state)
{
	static const struct row rows[] = { { 1, VTB_E_READ, 5, 0x6, 0 }, { 2, VTB_E_READ, 5, 0x4, 0 } };
	struct vtb_exec x = MAKE(rows);

	(void)state;
	tuple_is(&x, 0, 0);
	vtb_exec_fini(&x);
}

static void other_deviations_cost_one_and_deadlines_share_the_clock(void **state)
{
	static const struct row rows[] = {
		{ 1, VTB_E_ATOMIC_CAS_FAIL, 5, 0x6, VTB_DEV_CAS_FAIL },
		{ 1, VTB_E_COND_WAKE, 8, 0x6, VTB_DEV_TIMEOUT },
		{ 1, VTB_E_TIMEDLOCK, 9, 0x6, VTB_DEV_TIMEOUT },
		{ 2, VTB_E_READ, 5, 0x6, 0 },
	};
	struct vtb_exec x = MAKE(rows);

	(void)state;
	tuple_is(&x, 4, 3); /* variable 5, the clock, and 9 for the preemption */
	vtb_exec_fini(&x);
}

static void lost_rows_and_the_end_of_the_process_are_no_switches(void **state)
{
	static const struct row rows[] = {
		{ 1, VTB_E_READ, 5, 0x6, 0 },
		{ 2, VTB_E_LOST, VTB_NONE, 0x6, 0 },
		{ 1, VTB_E_READ, 5, 0x6, 0 },
		{ 0, VTB_E_FAIL, VTB_NONE, 0, 0 },
	};
	struct vtb_exec x = MAKE(rows);

	(void)state;
	tuple_is(&x, 0, 0);
	vtb_exec_fini(&x);
}

static void an_unknown_object_counts_as_one_variable(void **state)
{
	static const struct row rows[] = { { 1, VTB_E_YIELD, VTB_NONE, 0x6, 0 },
		                           { 2, VTB_E_YIELD, VTB_NONE, 0x6, 0 },
		                           { 1, VTB_E_YIELD, VTB_NONE, 0x6, 0 } };
	struct vtb_exec x = MAKE(rows);

	(void)state;
	tuple_is(&x, 2, 1);
	vtb_exec_fini(&x);
}

static void an_empty_run_has_the_empty_tuple_and_schedule(void **state)
{
	struct vtb_exec x = { 0 };
	struct vtb_schedule s;

	(void)state;
	tuple_is(&x, 0, 0);
	assert_int_equal(vtb_exec_schedule(&x, &s), 0);
	assert_int_equal(s.n_deviations, 0);
	vtb_schedule_fini(&s);
}

static void deviation_is(const struct vtb_deviation *d, uint32_t thread, uint32_t index, unsigned kind, uint32_t target,
                         uint32_t var, uint32_t cost)
{
	assert_int_equal(d->after.thread, thread);
	assert_int_equal(d->after.index, index);
	assert_int_equal(d->kind, kind);
	assert_int_equal(d->target, target);
	assert_int_equal(d->var, var);
	assert_int_equal(d->cost, cost);
}

static void the_schedule_of_a_run_names_every_switch(void **state)
{
	struct vtb_exec x = MAKE(lost_update);
	struct vtb_schedule s;
	struct vtb_tuple t;

	(void)state;
	assert_int_equal(vtb_exec_schedule(&x, &s), 0);
	assert_int_equal(s.policy, VTB_SCHEDULE_RUN_TO_BLOCK);
	assert_int_equal(s.n_deviations, 2);
	deviation_is(&s.deviations[0], 1, 1, VTB_DEV_SWITCH, 2, 5, 1);
	deviation_is(&s.deviations[1], 2, 3, VTB_DEV_SWITCH, 1, 6, 0);
	t = vtb_schedule_tuple(&s);
	assert_int_equal(t.c, 1);
	assert_int_equal(t.v, 1);
	assert_memory_equal(&t, &s.tuple, sizeof(t));
	vtb_schedule_fini(&s);
	vtb_exec_fini(&x);
}

/* Whatever a run looks like, its schedule costs what the run cost. */
static void a_run_and_its_schedule_have_the_same_tuple(void **state)
{
	static const unsigned deviations[] = {
		0, 0, 0, 0, VTB_DEV_WAITER, VTB_DEV_SPURIOUS, VTB_DEV_TIMEOUT, VTB_DEV_CAS_FAIL
	};
	struct row rows[60];
	unsigned seed = 7;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct vtb_tuple a, b;
		struct vtb_schedule s;
		struct vtb_exec x;

		for (size_t i = 0; i < 60; i++) {
			const unsigned thread = (unsigned)rand_r(&seed) % 4;

			rows[i] =
			    (struct row){ thread, rand_r(&seed) % 20 ? VTB_E_WRITE : VTB_E_LOST,
				          (uint32_t)rand_r(&seed) % 5, ((unsigned)rand_r(&seed) & 15) | 1u << thread,
				          deviations[rand_r(&seed) % 8] };
			if (rows[i].kind == VTB_E_LOST)
				rows[i].deviation = 0;
		}
		x = make(rows, (size_t)(rand_r(&seed) % 61));
		assert_int_equal(vtb_exec_schedule(&x, &s), 0);
		a = vtb_exec_tuple(&x);
		b = vtb_schedule_tuple(&s);
		assert_memory_equal(&a, &b, sizeof(a));
		vtb_schedule_fini(&s);
		vtb_exec_fini(&x);
	}
}

static void a_deviation_that_wakes_stands_before_the_switch(void **state)
{
	static const struct row rows[] = { { 1, VTB_E_READ, 5, 0x2, 0 },
		                           { 2, VTB_E_COND_WAKE, 8, 0x6, VTB_DEV_SPURIOUS },
		                           { 2, VTB_E_COND_SIGNAL, 8, 0x6, VTB_DEV_WAITER } };
	struct vtb_exec x = MAKE(rows);
	struct vtb_schedule s;

	(void)state;
	x.events[2].place = 3;
	assert_int_equal(vtb_exec_schedule(&x, &s), 0);
	assert_int_equal(s.n_deviations, 3);
	deviation_is(&s.deviations[0], 1, 1, VTB_DEV_SPURIOUS, 2, 8, 1);
	deviation_is(&s.deviations[1], 1, 1, VTB_DEV_SWITCH, 2, 5, 0);
	deviation_is(&s.deviations[2], 2, 1, VTB_DEV_WAITER, 3, 8, 1);
	tuple_is(&x, 2, 1);
	vtb_schedule_fini(&s);
	vtb_exec_fini(&x);
}

static void operations_get_names_that_tell_repetitions_apart(void **state)
{
	struct vtb_exec x = MAKE(lost_update);
	struct vtb_symtab tab = { 0 };
	struct vtb_schedule s = { 0 };

	(void)state;
	sample_names(&tab);
	for (size_t i = 0; i < x.n_events; i++)
		x.events[i].var = 0, x.events[i].site = 0;
	x.events[2].kind = VTB_E_READ; /* thread 2 reads twice at the same place */
	assert_int_equal(vtb_schedule_deviate(&s, 2, 2, VTB_DEV_SWITCH, 1, 0, 1), 0);
	assert_int_equal(vtb_schedule_deviate(&s, 1, 1, VTB_DEV_SWITCH, 2, 0, 1), 0);
	assert_int_equal(vtb_schedule_deviate(&s, 2, 4, VTB_DEV_SWITCH, 1, 0, 1), 0); /* it did 3 */
	assert_int_equal(vtb_schedule_deviate(&s, 9, 1, VTB_DEV_SWITCH, 1, 0, 1), 0);
	assert_int_equal(vtb_exec_name_ops(&x, &tab, &s), 0);
	assert_int_equal(s.deviations[0].after.name.occurrence, 2);
	assert_int_equal(s.deviations[0].after.name.kind, VTB_E_READ);
	assert_string_equal(s.deviations[0].after.name.function, "deposit");
	assert_int_equal(s.deviations[0].after.name.line_in_function, 3);
	assert_string_equal(s.deviations[0].after.name.variable, "balance");
	assert_int_equal(s.deviations[1].after.name.occurrence, 1);
	assert_int_equal(s.deviations[2].after.name.kind, 0);
	assert_int_equal(s.deviations[3].after.name.kind, 0);
	vtb_schedule_fini(&s);
	vtb_symtab_fini(&tab);
	vtb_exec_fini(&x);
}

static void every_failing_allocation_leaves_an_empty_result(void **state)
{
	struct vtb_exec x = MAKE(lost_update), copy;
	struct vtb_symtab tab = { 0 };
	struct vtb_schedule s;
	int r = -1;

	(void)state;
	for (int n = 1; r < 0; n++) {
		fail_in = n;
		r = vtb_exec_schedule(&x, &s);
		fail_in = 0;
		assert_true(r == 0 || (r == -ENOMEM && !s.deviations && !s.n_deviations));
	}
	for (int n = 1; (fail_in = n, r = vtb_exec_name_ops(&x, &tab, &s), fail_in = 0, r) < 0; n++)
		assert_true(r == -ENOMEM && n < 9);
	vtb_schedule_fini(&s);
	for (int n = 1; (fail_in = n, r = vtb_exec_copy(&x, &copy), fail_in = 0, r) < 0; n++)
		assert_true(r == -ENOMEM && !copy.events && n < 9);
	assert_memory_equal(copy.events, x.events, x.n_events * sizeof(*x.events));
	vtb_exec_fini(&copy);
	vtb_exec_fini(&x);
	sample_schedule(&s);
	for (int n = 1; n < 4; n++) {
		struct vtb_schedule other;

		fail_in = n;
		assert_int_equal(vtb_schedule_copy(&s, &other), -ENOMEM);
		fail_in = 0;
		assert_null(other.deviations);
	}
	vtb_schedule_fini(&s);
}

/* Thread 1 has taken A or not, for all of `kinds` with these results. */
static bool has_lock(size_t n, const unsigned *kinds, const uint64_t *values)
{
	struct vtb_event events[4];
	const struct vtb_exec x = { .events = events, .n_events = n };

	for (size_t i = 0; i < n; i++) {
		events[i] = (struct vtb_event){
			.thread = 1, .kind = (uint8_t)kinds[i], .var = 1, .value = values[i], .flags = VTB_EVF_VALUE
		};
		vtb_event_classify(&events[i]);
	}
	return vtb_exec_holder(&x, 1, VTB_NONE) != VTB_EVENT_NONE;
}

static void who_holds_a_lock_at_the_end_has_taken_it(void **state)
{
	const unsigned kinds[] = { VTB_E_LOCK, VTB_E_LOCK, VTB_E_UNLOCK };

	(void)state;
	assert_true(has_lock(1, kinds, (const uint64_t[]){ 0 }));
	assert_true(has_lock(1, kinds, (const uint64_t[]){ EOWNERDEAD }));
	assert_false(has_lock(1, kinds, (const uint64_t[]){ ENOTRECOVERABLE }));
	assert_true(has_lock(3, kinds, (const uint64_t[]){ 0, 0, 0 })); /* a recursive one */
	assert_false(has_lock(3, kinds, (const uint64_t[]){ 0, EDEADLK, 0 }));
	assert_true(has_lock(3, kinds, (const uint64_t[]){ 0, EDEADLK, EPERM }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_holds_a_lock_at_the_end_has_taken_it),
		cmocka_unit_test(a_preemption_is_charged_to_the_object_of_the_operation_before),
		cmocka_unit_test(a_switch_to_a_thread_just_enabled_is_free),
		cmocka_unit_test(a_switch_away_from_a_thread_that_must_wait_is_free),
		cmocka_unit_test(other_deviations_cost_one_and_deadlines_share_the_clock),
		cmocka_unit_test(lost_rows_and_the_end_of_the_process_are_no_switches),
		cmocka_unit_test(an_unknown_object_counts_as_one_variable),
		cmocka_unit_test(an_empty_run_has_the_empty_tuple_and_schedule),
		cmocka_unit_test(the_schedule_of_a_run_names_every_switch),
		cmocka_unit_test(a_run_and_its_schedule_have_the_same_tuple),
		cmocka_unit_test(a_deviation_that_wakes_stands_before_the_switch),
		cmocka_unit_test(operations_get_names_that_tell_repetitions_apart),
		cmocka_unit_test(every_failing_allocation_leaves_an_empty_result),
	};

	return cmocka_run_group_tests_name("exec", tests, NULL, NULL);
}
