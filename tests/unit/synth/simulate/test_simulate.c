/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "trace_build.h"
#include "vtb/simulate.h"
#include "vtb/wire.h"

/* Linked with --wrap: the n-th allocation from now fails (0: none does). */
static int fail_in;

static bool fails(void)
{
	return fail_in && --fail_in == 0;
}

void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

static void run(struct vtb_trace *trace, const struct vtb_schedule *s, struct vtb_exec *x)
{
	struct vtb_runner *runner;

	memset(x, 0, sizeof(*x));
	assert_int_equal(vtb_simulate_new(trace, &runner, NULL), 0);
	assert_int_equal(vtb_runner_run(runner, &s, 1, x, NULL), 0);
	assert_int_equal(runner->schedules, 1);
	vtb_runner_free(runner);
}

/* The order of a run as text: thread and kind of each event. */
static const char *order_of(const struct vtb_exec *x)
{
	static char text[512];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < x->n_events; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u:%s", i ? " " : "", x->events[i].thread,
		                         vtb_event_info(x->events[i].kind)->name);
	return text;
}

static void expect(struct vtb_trace *trace, const struct vtb_schedule *s, const char *order, enum vtb_verdict verdict)
{
	struct vtb_exec x;

	run(trace, s, &x);
	assert_string_equal(order_of(&x), order);
	assert_int_equal(x.outcome.verdict, verdict);
	vtb_exec_fini(&x);
}

/* Two workers, each a read of x. */
static void two_readers(struct vtb_trace *trace)
{
	uint32_t x;

	build_trace(trace, 3);
	x = build_var(trace, VTB_OBJ_GLOBAL, VTB_NONE, "x");
	build_births(trace, 3);
	build_event(trace, 1, VTB_E_THREAD_BEGIN, 1);
	build_event(trace, 2, VTB_E_THREAD_BEGIN, 2);
	build_event(trace, 2, VTB_E_READ, x);
	build_event(trace, 1, VTB_E_READ, x);
	build_event(trace, 1, VTB_E_THREAD_END, 1);
	build_event(trace, 2, VTB_E_THREAD_END, 2);
	build_joins(trace, 3);
}

static void the_default_runs_each_thread_until_it_waits(void **state)
{
	const struct vtb_schedule s = { 0 };
	struct vtb_trace trace;

	(void)state;
	two_readers(&trace);
	expect(&trace, &s,
	       "0:thread-create 0:thread-create 1:thread-begin 1:read 1:thread-end 0:thread-join 2:thread-begin 2:read "
	       "2:thread-end 0:thread-join 0:process-exit",
	       VTB_V_NONE);
	vtb_trace_fini(&trace);
}

static void ranks_decide_at_every_point_under_the_priority_policy(void **state)
{
	uint32_t ranks[] = { 2, 0, 1 };
	const struct vtb_schedule s = { .policy = VTB_SCHEDULE_PRIORITY, .ranks = ranks, .n_ranks = 3 };
	struct vtb_trace trace;

	(void)state;
	two_readers(&trace);
	expect(&trace, &s,
	       "0:thread-create 0:thread-create 2:thread-begin 2:read 2:thread-end 1:thread-begin 1:read 1:thread-end "
	       "0:thread-join 0:thread-join 0:process-exit",
	       VTB_V_NONE);
	vtb_trace_fini(&trace);
}

static void demoted_threads_take_the_fragments_in_turn(void **state)
{
	uint32_t ranks[] = { 1, 2, 0 | VTB_RANK_FRAGMENT_BIT, 0, 1 | VTB_RANK_FRAGMENT_BIT };
	struct vtb_schedule s = { .policy = VTB_SCHEDULE_PRIORITY, .ranks = ranks, .n_ranks = 5 };
	struct vtb_trace trace;

	(void)state;
	two_readers(&trace);
	assert_int_equal(vtb_schedule_deviate(&s, 1, 1, VTB_DEV_DEMOTE, 0, VTB_NONE, 1),
	                 0); /* alone with main: still on top */
	assert_int_equal(vtb_schedule_deviate(&s, 1, 2, VTB_DEV_DEMOTE, 0, VTB_NONE, 1), 0); /* now below main */
	expect(&trace, &s,
	       "0:thread-create 1:thread-begin 1:read 0:thread-create 2:thread-begin 2:read 2:thread-end 1:thread-end "
	       "0:thread-join 0:thread-join 0:process-exit",
	       VTB_V_NONE);
	free(s.deviations);
	vtb_trace_fini(&trace);
}

static void a_switch_goes_to_its_target_and_stays_there(void **state)
{
	struct vtb_schedule s = { 0 };
	struct vtb_trace trace;

	(void)state;
	two_readers(&trace);
	assert_int_equal(vtb_schedule_deviate(&s, 1, 2, VTB_DEV_SWITCH, 2, VTB_NONE, 1), 0);
	expect(&trace, &s,
	       "0:thread-create 0:thread-create 1:thread-begin 1:read 2:thread-begin 2:read 2:thread-end 1:thread-end "
	       "0:thread-join 0:thread-join 0:process-exit",
	       VTB_V_NONE);
	vtb_schedule_fini(&s);
	vtb_trace_fini(&trace);
}

static void a_deviation_without_a_place_is_reported(void **state)
{
	struct vtb_schedule s = { 0 };
	struct vtb_trace trace;
	struct vtb_exec x;

	(void)state;
	two_readers(&trace);
	assert_int_equal(vtb_schedule_deviate(&s, 1, 77, VTB_DEV_SWITCH, 2, VTB_NONE, 1), 0);
	run(&trace, &s, &x);
	assert_true(x.outcome.flags & VTB_OUT_DIVERGED);
	vtb_exec_fini(&x);
	s.deviations[0].after.index = 2;
	s.deviations[0].target = 99; /* no such thread */
	run(&trace, &s, &x);
	assert_true(x.outcome.flags & VTB_OUT_DIVERGED);
	vtb_exec_fini(&x);
	s.deviations[0].after.thread = 40000;
	run(&trace, &s, &x);
	assert_true(x.outcome.flags & VTB_OUT_DIVERGED);
	vtb_exec_fini(&x);
	vtb_schedule_fini(&s);
	vtb_trace_fini(&trace);
}

static void constraints_hold_threads_back(void **state)
{
	struct vtb_schedule s = { 0 };
	struct vtb_trace trace;

	(void)state;
	two_readers(&trace);
	assert_int_equal(vtb_schedule_constrain(&s, (struct vtb_op){ .thread = 2, .index = 2 },
	                                        (struct vtb_op){ .thread = 1, .index = 2 }),
	                 0);
	expect(&trace, &s,
	       "0:thread-create 0:thread-create 1:thread-begin 2:thread-begin 2:read 2:thread-end 1:read 1:thread-end "
	       "0:thread-join 0:thread-join 0:process-exit",
	       VTB_V_NONE);
	assert_int_equal(vtb_schedule_constrain(&s, (struct vtb_op){ .thread = 1, .index = 3 },
	                                        (struct vtb_op){ .thread = 2, .index = 1 }),
	                 0);
	expect(&trace, &s, "0:thread-create 0:thread-create 1:thread-begin", VTB_V_INFEASIBLE);
	vtb_schedule_fini(&s);
	vtb_trace_fini(&trace);
}

static void a_random_schedule_is_the_same_for_the_same_seed(void **state)
{
	const struct vtb_schedule s = { .policy = VTB_SCHEDULE_RANDOM, .seed = 7 };
	struct vtb_trace trace;
	struct vtb_exec a, b;

	(void)state;
	two_readers(&trace);
	run(&trace, &s, &a);
	run(&trace, &s, &b);
	assert_int_equal(a.n_events, b.n_events);
	assert_memory_equal(a.events, b.events, a.n_events * sizeof(*a.events));
	vtb_exec_fini(&a);
	vtb_exec_fini(&b);
	vtb_trace_fini(&trace);
}

static void rows_tell_who_could_have_gone_on(void **state)
{
	struct vtb_schedule s = { 0 };
	struct vtb_trace trace;
	struct vtb_exec x;
	uint32_t m;

	(void)state;
	build_trace(&trace, 3);
	m = build_var(&trace, VTB_OBJ_SYNC, VTB_NONE, "m");
	build_births(&trace, 3);
	for (uint32_t t = 1; t < 3; t++) {
		build_event(&trace, t, VTB_E_LOCK, m);
		build_event(&trace, t, VTB_E_UNLOCK, m);
		build_event(&trace, t, VTB_E_THREAD_END, t);
	}
	build_joins(&trace, 3);
	run(&trace, &s, &x);                      /* create create lock(1) unlock(1) end(1) join lock(2) ... */
	assert_true(vtb_exec_enabled(&x, 2, 2));  /* before lock(1) both can */
	assert_false(vtb_exec_enabled(&x, 3, 2)); /* while 1 holds it 2 cannot */
	assert_true(vtb_exec_enabled(&x, 4, 2));
	assert_int_equal(vtb_exec_tuple(&x).c, 0);
	vtb_exec_fini(&x);
	assert_int_equal(vtb_schedule_deviate(&s, 1, 2, VTB_DEV_SWITCH, 2, VTB_NONE, 0), 0);
	run(&trace, &s, &x); /* 2 was enabled by the unlock: free */
	assert_int_equal(x.events[4].thread, 2);
	assert_int_equal(vtb_exec_tuple(&x).c, 0);
	vtb_exec_fini(&x);
	vtb_schedule_fini(&s);
	vtb_trace_fini(&trace);
}

/* Locks a, b by thread 1 and b, a by thread 2. */
static void opposite_lock_orders_deadlock(void **state)
{
	struct vtb_schedule s = { 0 };
	struct vtb_trace trace;
	struct vtb_exec x;
	uint32_t m[2];

	(void)state;
	build_trace(&trace, 3);
	m[0] = build_var(&trace, VTB_OBJ_SYNC, VTB_NONE, "a");
	m[1] = build_var(&trace, VTB_OBJ_SYNC, VTB_NONE, "b");
	build_births(&trace, 3);
	for (uint32_t t = 1; t < 3; t++) {
		build_event(&trace, t, VTB_E_LOCK, m[t - 1]);
		build_event(&trace, t, VTB_E_LOCK, m[2 - t]);
		build_event(&trace, t, VTB_E_UNLOCK, m[2 - t]);
		build_event(&trace, t, VTB_E_UNLOCK, m[t - 1]);
		build_event(&trace, t, VTB_E_THREAD_END, t);
	}
	build_joins(&trace, 3);
	assert_int_equal(vtb_schedule_deviate(&s, 1, 1, VTB_DEV_SWITCH, 2, VTB_NONE, 1), 0);
	run(&trace, &s, &x);
	assert_int_equal(x.outcome.verdict, VTB_V_DEADLOCK);
	assert_string_equal(x.outcome.signature, "deadlock lock b, lock a");
	assert_int_equal(x.n_pending, 3);
	assert_int_equal(x.events[x.n_events - 1].kind, VTB_E_FAIL);
	assert_int_equal(vtb_exec_tuple(&x).c, 1);
	assert_int_equal(vtb_exec_tuple(&x).v, 1);
	vtb_exec_fini(&x);
	vtb_schedule_fini(&s);
	vtb_trace_fini(&trace);
}

static void a_signal_before_the_wait_is_lost(void **state)
{
	uint32_t ranks[] = { 2 };
	const struct vtb_schedule usual = { 0 },
	                          signal_first = { .policy = VTB_SCHEDULE_PRIORITY, .ranks = ranks, .n_ranks = 1 };
	struct vtb_trace trace;
	struct vtb_exec x;
	uint32_t m, c;

	(void)state;
	build_trace(&trace, 3);
	m = build_var(&trace, VTB_OBJ_SYNC, VTB_NONE, "m");
	c = build_var(&trace, VTB_OBJ_SYNC, VTB_NONE, "c");
	build_births(&trace, 3);
	build_event(&trace, 1, VTB_E_LOCK, m);
	build_event(&trace, 1, VTB_E_COND_WAIT, c)->aux = m;
	build_event(&trace, 2, VTB_E_LOCK, m);
	build_value(&trace, 2, VTB_E_COND_SIGNAL, c, 1);
	build_event(&trace, 2, VTB_E_UNLOCK, m);
	build_value(&trace, 1, VTB_E_COND_WAKE, c, 0)->aux = m;
	build_event(&trace, 1, VTB_E_UNLOCK, m);
	build_event(&trace, 1, VTB_E_THREAD_END, 1);
	build_event(&trace, 2, VTB_E_THREAD_END, 2);
	build_joins(&trace, 3);
	expect(&trace, &usual,
	       "0:thread-create 0:thread-create 1:lock 1:cond-wait 2:lock 2:cond-signal 2:unlock 2:thread-end "
	       "1:cond-wake 1:unlock 1:thread-end 0:thread-join 0:thread-join 0:process-exit",
	       VTB_V_NONE);
	run(&trace, &signal_first, &x);
	assert_int_equal(x.outcome.verdict, VTB_V_LOST_WAKEUP);
	vtb_exec_fini(&x);
	vtb_trace_fini(&trace);
}

static void counts_of_semaphores_and_barriers_follow_from_the_recording(void **state)
{
	const struct vtb_schedule s = { 0 };
	struct vtb_trace trace;
	uint32_t sem, barrier;

	(void)state;
	build_trace(&trace, 3);
	sem = build_var(&trace, VTB_OBJ_SYNC, VTB_NONE, "sem");
	barrier = build_var(&trace, VTB_OBJ_SYNC, VTB_NONE, "barrier");
	build_births(&trace, 3);
	build_value(&trace, 1, VTB_E_SEM_WAIT, sem, 0); /* it must have begun at 1 */
	build_event(&trace, 1, VTB_E_SEM_POST, sem);
	build_value(&trace, 2, VTB_E_SEM_WAIT, sem, 0);
	build_event(&trace, 1, VTB_E_BARRIER_ARRIVE, barrier);
	build_event(&trace, 2, VTB_E_BARRIER_ARRIVE, barrier); /* for two */
	build_event(&trace, 1, VTB_E_BARRIER_LEAVE, barrier);
	build_event(&trace, 2, VTB_E_BARRIER_LEAVE, barrier);
	build_event(&trace, 1, VTB_E_THREAD_END, 1);
	build_event(&trace, 2, VTB_E_THREAD_END, 2);
	build_joins(&trace, 3);
	expect(&trace, &s,
	       "0:thread-create 0:thread-create 1:sem-wait 1:sem-post 1:barrier-arrive 2:sem-wait 2:barrier-arrive "
	       "2:barrier-leave 2:thread-end 1:barrier-leave 1:thread-end "
	       "0:thread-join 0:thread-join 0:process-exit",
	       VTB_V_NONE);
	vtb_trace_fini(&trace);
}

static void a_writer_keeps_readers_out_and_a_recursive_mutex_opens_at_the_last_unlock(void **state)
{
	struct vtb_schedule s = { 0 };
	struct vtb_trace trace;
	uint32_t rw, m;

	(void)state;
	build_trace(&trace, 3);
	rw = build_var(&trace, VTB_OBJ_SYNC, VTB_NONE, "rw");
	m = build_var(&trace, VTB_OBJ_SYNC, VTB_NONE, "m");
	build_births(&trace, 3);
	build_event(&trace, 1, VTB_E_WRLOCK, rw);
	build_event(&trace, 1, VTB_E_RWUNLOCK, rw);
	build_event(&trace, 1, VTB_E_LOCK, m);
	build_event(&trace, 1, VTB_E_LOCK, m);
	build_event(&trace, 1, VTB_E_UNLOCK, m);
	build_event(&trace, 1, VTB_E_UNLOCK, m);
	build_event(&trace, 1, VTB_E_THREAD_END, 1);
	build_event(&trace, 2, VTB_E_RDLOCK, rw);
	build_event(&trace, 2, VTB_E_RWUNLOCK, rw);
	build_event(&trace, 2, VTB_E_LOCK, m);
	build_event(&trace, 2, VTB_E_UNLOCK, m);
	build_event(&trace, 2, VTB_E_THREAD_END, 2);
	build_joins(&trace, 3);
	assert_int_equal(vtb_schedule_deviate(&s, 1, 1, VTB_DEV_SWITCH, 0, VTB_NONE, 1),
	                 0); /* 1 holds rw; main joins, 2 cannot read */
	assert_int_equal(vtb_schedule_deviate(&s, 1, 5, VTB_DEV_SWITCH, 2, VTB_NONE, 1), 0); /* 1 has m once more */
	expect(&trace, &s,
	       "0:thread-create 0:thread-create 1:wrlock 1:rwunlock 1:lock 1:lock 1:unlock 2:rdlock 2:rwunlock "
	       "1:unlock 1:thread-end 0:thread-join 2:lock 2:unlock 2:thread-end "
	       "0:thread-join 0:process-exit",
	       VTB_V_NONE);
	vtb_schedule_fini(&s);
	vtb_trace_fini(&trace);
}

static void a_trylock_on_a_held_mutex_fails_and_its_unlock_does_nothing(void **state)
{
	struct vtb_schedule s = { 0 };
	struct vtb_trace trace;
	struct vtb_exec x;
	uint32_t m;

	(void)state;
	build_trace(&trace, 3);
	m = build_var(&trace, VTB_OBJ_SYNC, VTB_NONE, "m");
	build_births(&trace, 3);
	build_event(&trace, 1, VTB_E_LOCK, m);
	build_event(&trace, 1, VTB_E_UNLOCK, m);
	build_event(&trace, 1, VTB_E_THREAD_END, 1);
	build_value(&trace, 2, VTB_E_TRYLOCK, m, 0);
	build_event(&trace, 2, VTB_E_UNLOCK, m);
	build_event(&trace, 2, VTB_E_THREAD_END, 2);
	build_joins(&trace, 3);
	assert_int_equal(vtb_schedule_deviate(&s, 1, 1, VTB_DEV_SWITCH, 2, VTB_NONE, 1), 0);
	run(&trace, &s, &x);
	assert_int_equal(x.events[3].kind, VTB_E_TRYLOCK);
	assert_int_equal(x.events[3].value, EBUSY);
	assert_false(x.events[3].flags & VTB_EVF_ACQUIRES);
	assert_int_equal(x.outcome.verdict, VTB_V_NONE);
	vtb_exec_fini(&x);
	vtb_schedule_fini(&s);
	vtb_trace_fini(&trace);
}

static void sleepers_wake_when_nobody_else_can_go_on(void **state)
{
	const struct vtb_schedule s = { 0 };
	struct vtb_trace trace;

	(void)state;
	build_trace(&trace, 3);
	build_births(&trace, 3);
	build_value(&trace, 1, VTB_E_SLEEP, VTB_NONE, 2000);
	build_event(&trace, 1, VTB_E_THREAD_END, 1);
	build_value(&trace, 2, VTB_E_SLEEP, VTB_NONE, 1000);
	build_event(&trace, 2, VTB_E_THREAD_END, 2);
	build_joins(&trace, 3);
	expect(&trace, &s,
	       "0:thread-create 0:thread-create 2:sleep 2:thread-end 1:sleep 1:thread-end 0:thread-join 0:thread-join "
	       "0:process-exit",
	       VTB_V_NONE);
	vtb_trace_fini(&trace);
}

static void who_comes_while_the_initialiser_runs_waits_for_it(void **state)
{
	struct vtb_schedule s = { 0 };
	struct vtb_trace trace;
	uint32_t once;

	(void)state;
	build_trace(&trace, 3);
	once = build_var(&trace, VTB_OBJ_SYNC, VTB_NONE, "once");
	build_births(&trace, 3);
	build_value(&trace, 1, VTB_E_ONCE_BEGIN, once, 1);
	build_event(&trace, 1, VTB_E_ONCE_END, once);
	build_event(&trace, 1, VTB_E_THREAD_END, 1);
	build_event(&trace, 2, VTB_E_ONCE_FOUND, once);
	build_event(&trace, 2, VTB_E_THREAD_END, 2);
	build_joins(&trace, 3);
	assert_int_equal(vtb_schedule_deviate(&s, 1, 1, VTB_DEV_SWITCH, 2, VTB_NONE, 1), 0);
	expect(&trace, &s,
	       "0:thread-create 0:thread-create 1:once-begin 1:once-end 1:thread-end 0:thread-join 2:once-found "
	       "2:thread-end 0:thread-join 0:process-exit",
	       VTB_V_NONE);
	vtb_schedule_fini(&s);
	vtb_trace_fini(&trace);
}

static void the_end_of_main_ends_the_run(void **state)
{
	const struct vtb_schedule s = { 0 };
	struct vtb_trace trace;
	struct vtb_exec x;

	(void)state;
	build_trace(&trace, 2);
	build_births(&trace, 2);
	build_event(&trace, 1, VTB_E_THREAD_BEGIN, 1);
	build_event(&trace, 0, VTB_E_PROCESS_EXIT, 0);
	run(&trace, &s, &x);
	assert_string_equal(order_of(&x), "0:thread-create 0:process-exit");
	assert_int_equal(x.outcome.verdict, VTB_V_NONE);
	assert_int_equal(x.n_pending, 1);
	assert_int_equal(x.pending[0].kind, VTB_E_THREAD_BEGIN);
	vtb_exec_fini(&x);
	vtb_trace_fini(&trace);
}

static void an_empty_trace_and_one_with_nameless_events_are_run(void **state)
{
	const struct vtb_schedule s = { 0 };
	struct vtb_trace trace;

	(void)state;
	build_trace(&trace, 1);
	expect(&trace, &s, "", VTB_V_NONE);
	build_event(&trace, 0, VTB_E_READ, VTB_NONE)->flags |= VTB_EVF_ADDR_UNKNOWN;
	build_event(&trace, 0, VTB_E_LOST, VTB_NONE);
	build_event(&trace, 0, VTB_E_LOCK, VTB_NONE);
	build_event(&trace, 0, VTB_E_LOCK, 4000000000u);
	build_event(&trace, 5, VTB_E_THREAD_JOIN, 4000000000u); /* a thread whose creation was lost */
	expect(&trace, &s, "0:read 0:lock 0:lock 5:thread-join", VTB_V_NONE);
	vtb_trace_fini(&trace);
}

static void running_out_of_memory_anywhere_is_an_error_and_leaks_nothing(void **state)
{
	struct vtb_trace trace;
	int r = -ENOMEM;

	(void)state;
	two_readers(&trace);
	for (int n = 1; r == -ENOMEM; n++) {
		struct vtb_schedule s = { 0 };
		const struct vtb_schedule *pointer = &s;
		struct vtb_runner *runner = NULL;
		struct vtb_exec x = { 0 };

		assert_true(n < 100);
		assert_int_equal(vtb_schedule_deviate(&s, 1, 2, VTB_DEV_SWITCH, 2, VTB_NONE, 1), 0);
		fail_in = n;
		r = vtb_simulate_new(&trace, &runner, NULL);
		if (r >= 0)
			r = vtb_runner_run(runner, &pointer, 1, &x, NULL);
		fail_in = 0;
		vtb_exec_fini(&x);
		vtb_schedule_fini(&s);
		vtb_runner_free(runner);
	}
	assert_int_equal(r, 0);
	vtb_trace_fini(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_default_runs_each_thread_until_it_waits),
		cmocka_unit_test(ranks_decide_at_every_point_under_the_priority_policy),
		cmocka_unit_test(demoted_threads_take_the_fragments_in_turn),
		cmocka_unit_test(a_switch_goes_to_its_target_and_stays_there),
		cmocka_unit_test(a_deviation_without_a_place_is_reported),
		cmocka_unit_test(constraints_hold_threads_back),
		cmocka_unit_test(a_random_schedule_is_the_same_for_the_same_seed),
		cmocka_unit_test(rows_tell_who_could_have_gone_on),
		cmocka_unit_test(opposite_lock_orders_deadlock),
		cmocka_unit_test(a_signal_before_the_wait_is_lost),
		cmocka_unit_test(counts_of_semaphores_and_barriers_follow_from_the_recording),
		cmocka_unit_test(a_writer_keeps_readers_out_and_a_recursive_mutex_opens_at_the_last_unlock),
		cmocka_unit_test(a_trylock_on_a_held_mutex_fails_and_its_unlock_does_nothing),
		cmocka_unit_test(sleepers_wake_when_nobody_else_can_go_on),
		cmocka_unit_test(who_comes_while_the_initialiser_runs_waits_for_it),
		cmocka_unit_test(the_end_of_main_ends_the_run),
		cmocka_unit_test(an_empty_trace_and_one_with_nameless_events_are_run),
		cmocka_unit_test(running_out_of_memory_anywhere_is_an_error_and_leaks_nothing),
	};

	return cmocka_run_group_tests_name("simulate", tests, NULL, NULL);
}
