/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room sched by itself: which dead end it is, by the column `holder` of whatever primitives there are; sources
 * of wake-ups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine.h"
#include "scheduler.h"
#include "wake_source.h"

#define THREADS 4u

static jmp_buf end;
static struct vtb_wire_slot slot;
static struct vtb_wire_schedule schedule;
static struct vtb_rt_thread threads[THREADS];
static struct vtb_call calls[THREADS];

static void stop(int status)
{
	(void)status;
	longjmp(end, 1);
}

static const struct vtb_engine engine = { .name = "test", .stop = stop };

/* `data` of the call: the slot. */
static uint32_t holder(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)t;
	return (uint32_t)call->data;
}

static const struct vtb_primitive held = { "held", NULL, NULL, NULL, true, holder };
static const struct vtb_primitive unheld = { "unheld", NULL, NULL, NULL, true, NULL };

/* Thread i waits for the thread holders[i]; VTB_NO_PATH: for none in particular. */
static enum vtb_verdict dead_end(const uint32_t *holders)
{
	memset(&slot, 0, sizeof(slot));
	vtb_engine = &engine;
	vtb_sched.slot = &slot;
	vtb_sched.schedule = &schedule;
	vtb_rt.n_threads = THREADS;
	for (uint32_t i = 0; i < THREADS; i++) {
		calls[i] = (struct vtb_call){ .kind = VTB_E_LOCK, .data = holders[i], .pc = 100 + i };
		calls[i].prim = holders[i] == VTB_NO_PATH ? &unheld : &held;
		threads[i].base.slot = i;
		threads[i].base.state = VTB_T_ALIVE;
		threads[i].sched.call = &calls[i];
		vtb_rt.threads[i] = &threads[i];
	}
	if (!setjmp(end))
		vtb_deadlock();
	return slot.outcome.verdict;
}

static void a_circle_of_holders_is_a_deadlock(void **state)
{
	const uint32_t circle[THREADS] = { VTB_NO_PATH, 2, 3, 1 };
	const uint32_t itself[THREADS] = { VTB_NO_PATH, VTB_NO_PATH, VTB_NO_PATH, 3 };

	(void)state;
	assert_int_equal(dead_end(circle), VTB_V_DEADLOCK);
	assert_int_equal(slot.outcome.pc, 101); /* the first one that is in it */
	assert_int_equal(dead_end(itself), VTB_V_DEADLOCK);
}

static void a_chain_that_ends_is_none(void **state)
{
	const uint32_t chain[THREADS] = { 1, 2, 3, VTB_NO_PATH };
	const uint32_t nobody[THREADS] = { VTB_NO_PATH, VTB_NO_PATH, VTB_NO_PATH, VTB_NO_PATH };

	(void)state;
	assert_int_equal(dead_end(chain), VTB_V_CONDITION_DEADLOCK);
	assert_int_equal(dead_end(nobody), VTB_V_CONDITION_DEADLOCK);
}

static uint64_t at_nine(void)
{
	return 9;
}

static uint64_t at_four(void)
{
	return 4;
}

static void time_goes_to_the_earliest_source(void **state)
{
	static const struct vtb_source nine = { .name = "nine", .next = at_nine }, silent = { .name = "silent" };
	static const struct vtb_source four = { .name = "four", .next = at_four };
	static const struct vtb_source *const table[] = { &nine, &silent, &four, NULL }, *const none[] = { NULL };

	(void)state;
	vtb_rt.n_threads = 0;
	vtb_sched.now = 1;
	vtb_sources = none;
	assert_false(vtb_time_pass());
	assert_int_equal(vtb_sched.now, 1);
	vtb_sources = table;
	assert_true(vtb_time_pass());
	assert_int_equal(vtb_sched.now, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_circle_of_holders_is_a_deadlock),
		cmocka_unit_test(a_chain_that_ends_is_none),
		cmocka_unit_test(time_goes_to_the_earliest_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
