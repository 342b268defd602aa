/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Long traces: runs that begin in the middle are the rest of the whole run, and candidates hold in the whole run. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "cases.h"
#include "reordering.h"
#include "simulate_at.h"
#include "trace_build.h"
#include "vtb/mazurkiewicz.h"
#include "vtb/rng.h"
#include "vtb/simulate.h"
#include "vtb/synth.h"
#include "vtb/wire.h"

#define WORKERS 3u
#define WHOLE UINT32_MAX

static struct vtb_trace trace;
static struct vtb_runner *runner;

static void begin(void)
{
	assert_int_equal(vtb_simulate_new(&trace, &runner, NULL), 0);
}

static void end(void)
{
	vtb_runner_free(runner);
	vtb_trace_fini(&trace);
}

static void run(const struct vtb_schedule *s, struct vtb_exec *x)
{
	assert_int_equal(vtb_runner_run(runner, &s, 1, x, NULL), 0);
}

/* Workers that lock, access, wait for a semaphore, sleep: `seed` says which. */
static void build_random(uint64_t seed)
{
	uint32_t mutex, semaphore, data[3];

	build_trace(&trace, WORKERS + 1);
	mutex = build_var(&trace, VTB_OBJ_GLOBAL, VTB_NONE, "m");
	semaphore = build_var(&trace, VTB_OBJ_GLOBAL, VTB_NONE, "s");
	for (uint32_t i = 0; i < 3; i++)
		data[i] = build_var(&trace, VTB_OBJ_GLOBAL, VTB_NONE, "x");
	build_births(&trace, WORKERS + 1);
	for (uint32_t i = 0; i < 40; i++) {
		const uint32_t t = 1 + (uint32_t)vtb_rng_below(&seed, WORKERS), var = data[vtb_rng_below(&seed, 3)];

		switch (vtb_rng_below(&seed, 5)) {
		case 0:
			build_event(&trace, t, VTB_E_LOCK, mutex);
			build_event(&trace, t, VTB_E_WRITE, var);
			build_event(&trace, t, VTB_E_UNLOCK, mutex);
			break;
		case 1:
			build_event(&trace, t, VTB_E_SEM_POST, semaphore);
			build_value(&trace, t, VTB_E_SEM_WAIT, semaphore, 0);
			break;
		case 2:
			build_value(&trace, t, VTB_E_SLEEP, VTB_NONE, 1 + vtb_rng_below(&seed, 1000));
			break;
		default:
			build_event(&trace, t, vtb_rng_below(&seed, 2) ? VTB_E_READ : VTB_E_WRITE, var);
		}
	}
	for (uint32_t t = 1; t <= WORKERS; t++)
		build_event(&trace, t, VTB_E_THREAD_END, t);
	build_joins(&trace, WORKERS + 1);
}

static void order(struct vtb_schedule *s, uint32_t first)
{
	*s = (struct vtb_schedule){ .policy = VTB_SCHEDULE_PRIORITY };
	for (uint32_t i = 0; i <= WORKERS; i++) {
		assert_int_equal(vtb_array_room(s, ranks), 0);
		s->ranks[s->n_ranks++] = (first + i) % (WORKERS + 1);
	}
}

static void assert_rest(const struct vtb_exec *whole, const struct vtb_exec *rest, size_t from)
{
	assert_int_equal(rest->n_events, whole->n_events - from);
	for (size_t i = 0; i < rest->n_events; i++) {
		assert_int_equal(rest->events[i].thread, whole->events[from + i].thread);
		assert_int_equal(rest->events[i].kind, whole->events[from + i].kind);
		assert_int_equal(rest->events[i].var, whole->events[from + i].var);
		assert_int_equal(rest->events[i].value, whole->events[from + i].value);
	}
	assert_memory_equal(rest->enabled, whole->enabled + from * whole->stride,
	                    rest->n_events * rest->stride * sizeof(*rest->enabled));
	assert_int_equal(rest->outcome.verdict, whole->outcome.verdict);
}

/* The operations of a run from the middle have the places in the recording that they have in the whole. */
static void assert_places(struct vtb_reference *ref, const struct vtb_exec *whole, const struct vtb_exec *rest,
                          size_t from)
{
	uint32_t places[512];
	struct vtb_reordering reordering;

	assert_true(whole->n_events <= sizeof(places) / sizeof(places[0]));
	ref->passed = NULL;
	assert_int_equal(vtb_reordering_of(ref, whole, &reordering), 0);
	memcpy(places, ref->at, whole->n_events * sizeof(places[0]));
	ref->passed = vtb_simulate_at_passed(runner);
	assert_int_equal(vtb_reordering_of(ref, rest, &reordering), 0);
	assert_memory_equal(ref->at, places + from, rest->n_events * sizeof(places[0]));
}

static void a_run_from_the_middle_is_the_rest_of_the_whole(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES(60); seed++) {
		struct vtb_exec whole = { 0 }, rest = { 0 };
		struct vtb_reference ref;
		struct vtb_schedule s;

		build_random(seed);
		order(&s, (uint32_t)seed % (WORKERS + 1));
		begin();
		run(&s, &whole);
		assert_true(whole.n_events > 20);
		assert_int_equal(vtb_reference_init(&ref, trace.events, trace.n_events, trace.tab.n_variables), 0);
		assert_int_equal(vtb_simulate_at_begin(runner, WHOLE), 0);
		for (size_t i = 0; i + 1 < whole.n_events && whole.events[i].kind != VTB_E_FAIL; i++) {
			run(&s, &rest);
			assert_rest(&whole, &rest, i);
			assert_places(&ref, &whole, &rest, i);
			vtb_simulate_at_pass(runner, whole.events[i].thread);
		}
		vtb_simulate_at_end(runner);
		run(&s, &rest);
		assert_rest(&whole, &rest, 0);
		vtb_exec_fini(&whole);
		vtb_exec_fini(&rest);
		vtb_reference_fini(&ref);
		vtb_schedule_fini(&s);
		end();
	}
}

/* Worker 1 stops while it holds what worker 2 wants: that is the stretch's end, not the program's. */
static void a_thread_that_stops_with_a_lock_is_no_deadlock(void **state)
{
	struct vtb_schedule s;
	struct vtb_exec x = { 0 };
	uint32_t mutex;

	(void)state;
	build_trace(&trace, 3);
	mutex = build_var(&trace, VTB_OBJ_GLOBAL, VTB_NONE, "m");
	build_births(&trace, 3);
	for (uint32_t t = 1; t <= 2; t++) {
		build_event(&trace, t, VTB_E_LOCK, mutex);
		build_event(&trace, t, VTB_E_YIELD, VTB_NONE);
		build_event(&trace, t, VTB_E_YIELD, VTB_NONE);
		build_event(&trace, t, VTB_E_UNLOCK, mutex);
	}
	begin();
	order(&s, 0);
	assert_int_equal(vtb_simulate_at_begin(runner, 2), 0);
	run(&s, &x);
	assert_int_equal(x.n_events, 4); /* two births, a lock and what comes after it */
	assert_int_equal(x.outcome.verdict, VTB_V_NONE);
	vtb_exec_fini(&x);
	vtb_schedule_fini(&s);
	end();
}

#define ROUND 10000u
#define ROUNDS 11u
#define ACCESSES (ROUND * ROUNDS)

/* Two workers with much of their own, and now and then something in common. */
static void build_long(void)
{
	uint32_t own[2], shared, locks[2];

	build_trace(&trace, 3);
	own[0] = build_var(&trace, VTB_OBJ_GLOBAL, VTB_NONE, "left");
	own[1] = build_var(&trace, VTB_OBJ_GLOBAL, VTB_NONE, "right");
	shared = build_var(&trace, VTB_OBJ_GLOBAL, VTB_NONE, "shared");
	locks[0] = build_var(&trace, VTB_OBJ_GLOBAL, VTB_NONE, "a");
	locks[1] = build_var(&trace, VTB_OBJ_GLOBAL, VTB_NONE, "b");
	build_births(&trace, 3);
	for (uint32_t i = 0; i < ACCESSES; i++)
		for (uint32_t t = 1; t <= 2; t++) {
			build_event(&trace, t, VTB_E_WRITE, own[t - 1]);
			if (i % ROUND == 77) {
				build_value(&trace, t, VTB_E_READ, shared, 7); /* the same in every order: foreseen */
				build_value(&trace, t, VTB_E_WRITE, shared, 7);
			}
			if (i == 20) {
				build_event(&trace, t, VTB_E_LOCK, locks[t - 1]);
				build_event(&trace, t, VTB_E_LOCK, locks[2 - t]);
				build_event(&trace, t, VTB_E_UNLOCK, locks[2 - t]);
				build_event(&trace, t, VTB_E_UNLOCK, locks[t - 1]);
			}
		}
	for (uint32_t t = 1; t <= 2; t++)
		build_event(&trace, t, VTB_E_THREAD_END, t);
	build_joins(&trace, 3);
}

static bool intrudes_upon(const struct vtb_candidate *c, const char *name)
{
	return strstr(c->why, "comes between") && strstr(c->why, name);
}

#define TOP 40u

/* 1 if an earlier candidate led to the same class. */
static size_t met_before(struct vtb_hash128 *classes, size_t n, const struct vtb_exec *x)
{
	assert_int_equal(vtb_mazurkiewicz_of(x->events, x->n_events, &trace.tab, &classes[n]), 0);
	for (size_t i = 0; i < n; i++)
		if (memcmp(&classes[i], &classes[n], sizeof(classes[n])) == 0)
			return 1;
	return 0;
}

static void candidates_of_a_long_trace_hold_in_the_whole_run(void **state)
{
	struct vtb_synth_opts opts;
	struct vtb_synth synth;
	struct vtb_hash128 classes[TOP];
	size_t intrusions = 0, again = 0;

	(void)state;
	build_long();
	vtb_synth_opts_init(&opts);
	opts.search.c = opts.search.v = 1;
	opts.top = TOP;
	assert_int_equal(vtb_synth_run(&trace, &opts, &synth, NULL), 0);
	assert_true(synth.n_candidates >= 10 && synth.n_candidates <= TOP);
	begin();
	for (size_t i = 0; i < synth.n_candidates; i++) {
		const struct vtb_candidate *c = &synth.candidates[i];
		struct vtb_exec x = { 0 };

		run(&c->schedule, &x);
		assert_false(x.outcome.flags & VTB_OUT_DIVERGED);
		assert_int_equal(vtb_exec_tuple(&x).c, c->schedule.tuple.c);
		assert_true(c->schedule.tuple.c <= 1);
		assert_int_equal(x.outcome.verdict == VTB_V_DEADLOCK, c->deadlock);
		if (c->schedule.tuple.c) {
			assert_int_equal(c->schedule.n_deviations, 1);
			assert_true(!c->deadlock || c->schedule.deviations[0].after.name.kind == VTB_E_LOCK);
		}
		intrusions += intrudes_upon(c, "shared");
		again += met_before(classes, i, &x);
		vtb_exec_fini(&x);
	}
	assert_true(synth.met < TOP &&
	            again <=
	                3); /* one for each preemption that amounts to the other order, and both ways into the circle */
	assert_int_equal(intrusions, 2 * ROUNDS); /* wherever in the trace the worker is preempted */
	for (size_t i = 0; i < 5;
	     i++) { /* the two orders, the two ways into the circle, then the accesses that come between others */
		assert_int_equal(synth.candidates[i].schedule.tuple.c, i >= 2);
		assert_int_equal(synth.candidates[i].deadlock, i == 2 || i == 3);
		assert_int_equal(intrudes_upon(&synth.candidates[i], "shared"), i == 4);
	}
	vtb_synth_fini(&synth);
	end();
}

static void the_same_candidates_every_time(void **state)
{
	struct vtb_synth_opts opts;
	struct vtb_synth a, b;

	(void)state;
	build_long();
	vtb_synth_opts_init(&opts);
	opts.top = 20;
	assert_int_equal(vtb_synth_run(&trace, &opts, &a, NULL), 0);
	assert_int_equal(vtb_synth_run(&trace, &opts, &b, NULL), 0);
	assert_int_equal(a.n_candidates, b.n_candidates);
	assert_non_null(strstr(a.statement, "More than one preemption was not tried"));
	for (size_t i = 0; i < a.n_candidates; i++) {
		assert_string_equal(a.candidates[i].where, b.candidates[i].where);
		assert_string_equal(a.candidates[i].why, b.candidates[i].why);
	}
	vtb_synth_fini(&a);
	vtb_synth_fini(&b);
	vtb_trace_fini(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_from_the_middle_is_the_rest_of_the_whole),
		cmocka_unit_test(a_thread_that_stops_with_a_lock_is_no_deadlock),
		cmocka_unit_test(candidates_of_a_long_trace_hold_in_the_whole_run),
		cmocka_unit_test(the_same_candidates_every_time),
	};

	return cmocka_run_group_tests_name("long", tests, NULL, NULL);
}
