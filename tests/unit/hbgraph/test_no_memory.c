/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linked with --wrap for malloc, calloc and realloc: for each n the n-th allocation of an analysis fails. It must say
 * -ENOMEM, leave nothing behind (the sanitizer build looks for leaks), and work again afterwards.
 */
#include "fail_alloc.h"
#include "make_trace.h"

#include <errno.h>

#include "vtb/lockorder.h"
#include "vtb/mazurkiewicz.h"
#include "vtb/profile.h"
#include "vtb/discipline.h"
#include "vtb/races.h"
#include "vtb/syncorder.h"

/* A little of everything: two lock orders, races, accesses without a lock, a free of a large block, a symbolic address,
 * five threads. */
static void make(struct vtb_trace *t)
{
	uint32_t a, b, x, block, child;

	t_begin(t, 6);
	a = t_lock(t, "a");
	b = t_lock(t, "b");
	x = t_int(t, "x");
	block = t_object(t, VTB_OBJ_HEAP, "block", 9000, 0);
	child = t_thread(t, 1);
	t_event(t, 0, VTB_E_THREAD_CREATE, child, 1);
	t_event(t, 1, VTB_E_THREAD_BEGIN, child, 0);
	for (uint32_t i = 1; i < 6; i++) {
		t_event(t, i, VTB_E_LOCK, i % 2 ? a : b, 10 + i);
		t_event(t, i, VTB_E_LOCK, i % 2 ? b : a, 20 + i);
		t_event(t, i, VTB_E_READ, x, 30 + i);
		t_event(t, i, VTB_E_UNLOCK, i % 2 ? b : a, 40 + i);
		t_event(t, i, VTB_E_UNLOCK, i % 2 ? a : b, 50 + i);
		t_event(t, i, VTB_E_WRITE, x, 60 + i);
		t_event(t, i, VTB_E_WRITE, block, 70 + i)->size = i * 40;
	}
	t_event(t, 1, VTB_E_LOCK, a, 17);
	for (uint32_t line = 90; line < 93; line++)
		t_event(t, 1, VTB_E_READ, x, line);
	t_event(t, 1, VTB_E_UNLOCK, a, 18);
	t_event(t, 2, VTB_E_WRITE, x, 80)->flags |= VTB_EVF_ADDR_SYMBOLIC;
	t->events[t->n_events - 1].addr = 0;
	t_event(t, 3, VTB_E_FREE, block, 81)->size = 9000;
	t_event(t, 3, VTB_E_ALLOC, block, 82)->size = 9000;
	t_event(t, 4, VTB_E_WRITE, block, 83)->size = 8;
	t->events[t->n_events - 1].addr += 8000;
}

static int run_profile(const struct vtb_trace *t)
{
	struct vtb_profile profile;
	const int r = vtb_profile_of(t, &profile);

	if (r >= 0)
		vtb_profile_fini(&profile);
	return r;
}

static int run_races(const struct vtb_trace *t)
{
	struct vtb_races races;
	const int r = vtb_races_of(t, &races);

	if (r >= 0)
		vtb_races_fini(&races);
	return r;
}

static int run_discipline(const struct vtb_trace *t)
{
	struct vtb_races races;
	struct vtb_discipline d;
	int r = vtb_races_of(t, &races);

	if (r < 0)
		return r;
	r = vtb_discipline_of(t, &races, &d);
	if (r >= 0) {
		assert_true(d.n_unlocked > 0);
		vtb_discipline_fini(&d);
	}
	vtb_races_fini(&races);
	return r;
}

static int run_lockorder(const struct vtb_trace *t)
{
	struct vtb_lockorder lo;
	const int r = vtb_lockorder_of(t, &lo);

	if (r >= 0)
		vtb_lockorder_fini(&lo);
	return r;
}

static int run_index(const struct vtb_trace *t)
{
	struct vtb_orderindex *index;
	const int r = vtb_orderindex_new(t, 0, &index);

	if (r >= 0)
		vtb_orderindex_free(index);
	return r;
}

static int run_mazurkiewicz(const struct vtb_trace *t)
{
	struct vtb_hash128 print;

	return vtb_mazurkiewicz_of(t->events, t->n_events, &t->tab, &print);
}

static void check(int (*run)(const struct vtb_trace *t), long at_least)
{
	struct vtb_trace t;
	long n = 1;

	make(&t);
	for (; n < 10000; n++) {
		int r;

		fail_in = n;
		r = run(&t);
		if (fail_in) { /* it needs fewer than n */
			fail_in = 0;
			assert_int_equal(r, 0);
			break;
		}
		assert_int_equal(r, -ENOMEM);
		assert_int_equal(run(&t), 0);
	}
	assert_true(n > at_least);
	vtb_trace_fini(&t);
}

static void the_profile_survives_any_failed_allocation(void **state)
{
	(void)state;
	check(run_profile, 10);
}

static void races_survive_any_failed_allocation(void **state)
{
	(void)state;
	check(run_races, 10);
}

static void the_discipline_survives_any_failed_allocation(void **state)
{
	(void)state;
	check(run_discipline, 15);
}

static void the_lock_order_survives_any_failed_allocation(void **state)
{
	(void)state;
	check(run_lockorder, 10);
}

static void the_index_survives_any_failed_allocation(void **state)
{
	(void)state;
	check(run_index, 5);
}

static void fingerprints_survive_any_failed_allocation(void **state)
{
	(void)state;
	check(run_mazurkiewicz, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_profile_survives_any_failed_allocation),
		cmocka_unit_test(races_survive_any_failed_allocation),
		cmocka_unit_test(the_discipline_survives_any_failed_allocation),
		cmocka_unit_test(the_lock_order_survives_any_failed_allocation),
		cmocka_unit_test(the_index_survives_any_failed_allocation),
		cmocka_unit_test(fingerprints_survive_any_failed_allocation),
	};

	return cmocka_run_group_tests_name("no memory", tests, NULL, NULL);
}
