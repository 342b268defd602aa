/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An order is taken for a known run exactly when the runner would make that run again. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cvt/influence.h"
#include "made_runs.h"
#include "one_run.h"
#include "vtb/array.h"
#include "vtb/wire.h"

#define PROGRAMS 60u
#define ORDERS 24u

/* The k-th of the orders of four threads. */
static void order_of(uint32_t k, struct vtb_schedule *s)
{
	uint32_t left[] = { 0, 1, 2, 3 };

	s->policy = VTB_SCHEDULE_PRIORITY;
	for (uint32_t n = 4; n > 0; n--) {
		const uint32_t i = k % n;

		assert_true(vtb_array_room(s, ranks) >= 0);
		s->ranks[s->n_ranks++] = left[i];
		left[i] = left[n - 1];
		k /= n;
	}
}

static bool same_run(const struct vtb_exec *a, const struct vtb_exec *b)
{
	if (a->n_events != b->n_events)
		return false;
	for (size_t i = 0; i < a->n_events; i++)
		if (a->events[i].thread != b->events[i].thread || a->events[i].kind != b->events[i].kind ||
		    a->events[i].var != b->events[i].var)
			return false;
	return true;
}

static bool is_kept(const struct vtb_made_runs *k, const struct vtb_exec *x)
{
	for (uint32_t i = 0; i < k->n; i++)
		if (same_run(&k->runs[i], x))
			return true;
	return false;
}

struct counts {
	uint32_t known, unknown;
};

static void all_orders(const struct prog *p, struct counts *c)
{
	const struct vtb_schedule standard = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_made_runs made = { 0 };
	struct vtb_exec x = { 0 };

	one_run(runner, &standard, &x);
	assert_int_equal(vtb_made_runs_add(&made, &standard, &x), 0);
	vtb_exec_fini(&x);
	for (uint32_t k = 0; k < ORDERS; k++) {
		struct vtb_schedule s = { 0 };
		const struct vtb_exec *as;

		order_of(k, &s);
		as = vtb_made_runs_find(&made, &s);
		one_run(runner, &s, &x);
		if (as) {
			assert_true(same_run(as, &x));
			c->known++;
		} else {
			assert_false(is_kept(&made, &x));
			assert_int_equal(vtb_made_runs_add(&made, &s, &x), 0);
			c->unknown++;
		}
		vtb_exec_fini(&x);
		vtb_schedule_fini(&s);
	}
	vtb_made_runs_fini(&made);
	vtb_runner_free(runner);
}

static void orders_of_random_programs_lead_where_they_are_said_to_lead(void **state)
{
	struct counts c = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		struct prog p;

		prog_random(&p, seed, 2 + (int)(seed % 2), 5);
		all_orders(&p, &c);
	}
	assert_true(c.known > 100);
	assert_true(c.unknown > 100);
}

static void a_failing_run_is_not_kept(void **state)
{
	const struct vtb_schedule standard = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK };
	struct vtb_made_runs made = { 0 };
	struct vtb_event e = { .kind = VTB_E_FAIL };
	uint64_t row = 1;
	struct vtb_exec x = { .events = &e, .n_events = 1, .enabled = &row, .n_enabled = 1, .stride = 1 };

	(void)state;
	assert_int_equal(vtb_made_runs_add(&made, &standard, &x), 0);
	assert_int_equal(made.n, 0);
	e.kind = VTB_E_WRITE;
	x.outcome.verdict = VTB_V_ASSERTION;
	assert_int_equal(vtb_made_runs_add(&made, &standard, &x), 0);
	assert_int_equal(made.n, 0);
	x.outcome.verdict = VTB_V_NONE;
	x.outcome.flags = VTB_OUT_HELD_BACK;
	assert_int_equal(vtb_made_runs_add(&made, &standard, &x), 0);
	assert_int_equal(made.n, 0);
	x.outcome.flags = 0;
	assert_int_equal(vtb_made_runs_add(&made, &standard, &x), 0);
	assert_int_equal(made.n, 1);
	vtb_made_runs_fini(&made);
}

/* ---- influence */

/* Stop the thread of event `point` before it, below everybody. */
static void stop_at(const struct vtb_exec *x, uint32_t point, uint32_t n_threads, struct vtb_schedule *s)
{
	const uint32_t thread = x->events[point].thread;
	uint32_t done = 0;

	for (uint32_t i = 0; i < point; i++)
		done += x->events[i].thread == thread;
	s->policy = VTB_SCHEDULE_PRIORITY;
	for (uint32_t t = 0; t <= n_threads; t++) {
		assert_true(vtb_array_room(s, ranks) >= 0);
		s->ranks[s->n_ranks++] = t < n_threads ? t : VTB_RANK_FRAGMENT_BIT;
	}
	assert_int_equal(vtb_schedule_deviate(s, thread, done, VTB_DEV_DEMOTE, 0, VTB_NONE, 1), 0);
}

/* Every stop that nobody is said to notice leads to a run of the same class. */
static void unnoticed_stops(const struct prog *p, struct counts *c)
{
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_influence influence = { 0 };
	struct vtb_schedule order = { .policy = VTB_SCHEDULE_PRIORITY };
	struct vtb_exec x = { 0 };

	one_run(runner, &order, &x);
	assert_int_equal(vtb_influence_begin(&influence, &x, runner->tab), 0);
	for (uint32_t i = 1; x.outcome.verdict == VTB_V_NONE && i < x.n_events; i++) {
		struct vtb_schedule s = { 0 };
		struct vtb_exec y = { 0 };
		struct vtb_hash128 a, b;

		if (x.events[i - 1].thread != x.events[i].thread)
			continue;
		stop_at(&x, i, (uint32_t)p->n_threads, &s);
		one_run(runner, &s, &y);
		a = class_of_run(runner, &x);
		b = class_of_run(runner, &y);
		if (!vtb_influences_after(&influence, x.events[i].thread, i)) {
			assert_true(a.lo == b.lo && a.hi == b.hi);
			c->known++;
		} else {
			c->unknown += a.lo != b.lo;
		}
		vtb_exec_fini(&y);
		vtb_schedule_fini(&s);
	}
	vtb_exec_fini(&x);
	vtb_influence_fini(&influence);
	vtb_runner_free(runner);
}

static void a_stop_that_nobody_notices_changes_no_class(void **state)
{
	struct counts c = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= 2 * PROGRAMS; seed++) {
		struct prog p;

		prog_random(&p, seed, 2 + (int)(seed % 2), 6);
		unnoticed_stops(&p, &c);
	}
	assert_true(c.known > 50);
	assert_true(c.unknown > 50);
}

/* Is the default known after a run of it whose outcome has those flags? */
static bool is_known_with(uint32_t flags, bool real_time)
{
	const struct vtb_schedule standard = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK };
	struct vtb_made_runs made = { .real_time = real_time };
	struct vtb_runner *runner;
	struct vtb_exec x;
	struct prog p;
	bool known;

	prog_random(&p, 1, 2, 5);
	runner = prog_runner(&p);
	one_run(runner, &standard, &x);
	x.outcome.flags |= flags;
	assert_int_equal(vtb_made_runs_add(&made, &standard, &x), 0);
	known = vtb_made_runs_find(&made, &standard);
	vtb_exec_fini(&x);
	vtb_made_runs_fini(&made);
	vtb_runner_free(runner);
	return known;
}

static void deadlines_that_go_by_choices_are_no_reason_to_run_again(void **state)
{
	(void)state;
	assert_true(is_known_with(0, false));
	assert_true(is_known_with(VTB_OUT_TIMED, false));
	assert_true(is_known_with(0, true));
	assert_false(is_known_with(VTB_OUT_TIMED, true));
	assert_false(is_known_with(VTB_OUT_TIMING, false));
	assert_false(is_known_with(VTB_OUT_HELD_BACK, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_of_random_programs_lead_where_they_are_said_to_lead),
		cmocka_unit_test(deadlines_that_go_by_choices_are_no_reason_to_run_again),
		cmocka_unit_test(a_failing_run_is_not_kept),
		cmocka_unit_test(a_stop_that_nobody_notices_changes_no_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
