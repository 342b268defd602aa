/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make_trace.h"

#include "vtb/profile.h"
#include "vtb/races.h"
#include "vtb/syncorder.h"

static void races_are_grouped_by_variable_and_both_sites(void **state)
{
	struct vtb_trace t;
	struct vtb_races races;
	uint32_t x;

	(void)state;
	t_begin(&t, 2);
	x = t_int(&t, "x");
	t_event(&t, 0, VTB_E_WRITE, x, 1);
	t_event(&t, 0, VTB_E_WRITE, x, 2);
	t_event(&t, 1, VTB_E_READ, x, 3);
	t_event(&t, 1, VTB_E_READ, x, 3);
	assert_int_equal(vtb_races_of(&t, &races), 0);
	assert_int_equal(races.n_races, 2); /* (1, 3) and (2, 3): the older write is not forgotten */
	assert_int_equal(races.races[0].count + races.races[1].count, 4);
	assert_int_equal(races.races[0].var, x);
	assert_int_equal(races.races[0].events[1], 2);
	vtb_races_fini(&races);
	vtb_trace_fini(&t);
}

static void overlapping_accesses_of_different_sizes_race(void **state)
{
	struct vtb_trace t;
	struct vtb_races races;
	uint32_t x;
	struct vtb_event *e;

	(void)state;
	t_begin(&t, 2);
	x = t_int(&t, "x");
	e = t_event(&t, 0, VTB_E_WRITE, x, 1);
	e->size = 16;
	e = t_event(&t, 1, VTB_E_READ, x, 2);
	e->addr += 15;
	e->size = 1;
	e = t_event(&t, 1, VTB_E_READ, x, 3); /* just behind it */
	e->addr += 16;
	assert_int_equal(vtb_races_of(&t, &races), 0);
	assert_int_equal(races.n_races, 1);
	assert_int_equal(races.races[0].events[1], 1);
	vtb_races_fini(&races);
	vtb_trace_fini(&t);
}

static void atomics_race_with_plain_accesses_only(void **state)
{
	struct vtb_trace t;
	struct vtb_races races;
	uint32_t x;

	(void)state;
	t_begin(&t, 3);
	x = t_int(&t, "x");
	t_atomic(&t, 0, VTB_E_ATOMIC_STORE, x, 1, VTB_ORDER_RELAXED);
	t_atomic(&t, 1, VTB_E_ATOMIC_RMW, x, 2, VTB_ORDER_RELAXED);
	assert_int_equal(vtb_races_of(&t, &races), 0);
	assert_int_equal(races.n_races, 0);
	vtb_races_fini(&races);
	t_event(&t, 2, VTB_E_READ, x, 3);
	assert_int_equal(vtb_races_of(&t, &races), 0);
	assert_int_equal(races.n_races, 2);
	vtb_races_fini(&races);
	vtb_trace_fini(&t);
}

static void unknown_addresses_are_counted_and_never_guessed(void **state)
{
	struct vtb_trace t;
	struct vtb_races races;
	uint32_t x;

	(void)state;
	t_begin(&t, 2);
	x = t_int(&t, "x");
	t_event(&t, 0, VTB_E_WRITE, x, 1);
	for (uint32_t i = 0; i < 2; i++) {
		struct vtb_event *e = t_event(&t, i, VTB_E_WRITE, VTB_NONE, 2);

		e->flags |= VTB_EVF_ADDR_UNKNOWN;
		e->size = 4;
	}
	assert_int_equal(vtb_races_of(&t, &races), 0);
	assert_int_equal(races.n_races, 0);
	assert_int_equal(races.unknown, 2);
	vtb_races_fini(&races);
	vtb_trace_fini(&t);
}

static void symbolic_addresses_meet_exact_ones_once_the_object_is_placed(void **state)
{
	struct vtb_trace t;
	struct vtb_races races;
	uint32_t x;
	struct vtb_event *e;

	(void)state;
	t_begin(&t, 3);
	x = t_int(&t, "x");
	e = t_event(&t, 1, VTB_E_WRITE, x, 1); /* only symbolic ones so far */
	e->flags |= VTB_EVF_ADDR_SYMBOLIC;
	e->addr = 0;
	e = t_event(&t, 2, VTB_E_WRITE, x, 2);
	e->flags |= VTB_EVF_ADDR_SYMBOLIC;
	e->addr = 4; /* beside it */
	assert_int_equal(vtb_races_of(&t, &races), 0);
	assert_int_equal(races.n_races, 0);
	vtb_races_fini(&races);
	t_event(&t, 0, VTB_E_READ, x, 3); /* the whole leaf, at an exact address: now it is known where x lies */
	assert_int_equal(vtb_races_of(&t, &races), 0);
	assert_int_equal(races.n_races, 1);
	assert_int_equal(races.races[0].events[0], 0);
	vtb_races_fini(&races);
	vtb_trace_fini(&t);
}

static void memory_handed_out_again_begins_a_new_life(void **state)
{
	struct vtb_trace t;
	struct vtb_races races;
	uint32_t x;
	struct vtb_event *e;

	(void)state;
	t_begin(&t, 2);
	x = t_object(&t, VTB_OBJ_HEAP, "node", 64, 0);
	t_event(&t, 0, VTB_E_WRITE, x, 1)->size = 8;
	e = t_event(&t, 0, VTB_E_ALLOC, x, 2);
	e->size = 64;
	t_event(&t, 1, VTB_E_WRITE, x, 3)->size = 8;
	assert_int_equal(vtb_races_of(&t, &races), 0);
	assert_int_equal(races.n_races, 0);
	vtb_races_fini(&races);
	e = t_event(&t, 0, VTB_E_FREE, x, 4); /* against thread 1's write: used after free, in the other order */
	e->size = 64;
	assert_int_equal(vtb_races_of(&t, &races), 0);
	assert_int_equal(races.n_races, 1);
	vtb_races_fini(&races);
	vtb_trace_fini(&t);
}

/* Of controlled runs no ALLOC is told here: blocks are told apart by what they are called. */
static void a_block_given_back_does_not_race_with_the_next_one(void **state)
{
	struct vtb_trace t;
	struct vtb_races races;
	uint32_t first, second;
	uint64_t at;

	(void)state;
	t_begin(&t, 2);
	first = t_object(&t, VTB_OBJ_HEAP, "first", 32, 0);
	second = t_object(&t, VTB_OBJ_HEAP, "second", 32, 1);
	t_event(&t, 0, VTB_E_FREE, first, 1)->size = 32;
	at = t.events[0].addr;
	t_event(&t, 1, VTB_E_WRITE, second, 2)->addr = at;
	t_event(&t, 1, VTB_E_FREE, second, 3)->size = 32;
	t.events[2].addr = at;
	assert_int_equal(vtb_races_of(&t, &races), 0);
	assert_int_equal(races.n_races, 0);
	vtb_races_fini(&races);
	t_event(&t, 1, VTB_E_READ, first, 4)->addr = at; /* the first one, after all */
	assert_int_equal(vtb_races_of(&t, &races), 0);
	assert_int_equal(races.n_races, 1);
	vtb_races_fini(&races);
	vtb_trace_fini(&t);
}

static void unlocking_a_freed_mutex_is_a_race(void **state)
{
	struct vtb_trace t;
	struct vtb_races races;
	uint32_t block, m;
	struct vtb_event *e;

	(void)state;
	t_begin(&t, 2);
	block = t_object(&t, VTB_OBJ_HEAP, "object", 5000, 0);
	m = t_lock(&t, "object->lock");
	e = t_event(&t, 0, VTB_E_UNLOCK, m, 1);
	e->addr = T_BASE + 64u * block + 4500;
	e = t_event(&t, 1, VTB_E_FREE, block, 2);
	e->size = 5000;
	assert_int_equal(vtb_races_of(&t, &races), 0);
	assert_int_equal(races.n_races, 1);
	vtb_races_fini(&races);
	vtb_trace_fini(&t);
}

/* Every racing (site, site) pair of random traces, by comparing every two events. */
static void pairs_of_sites_agree_with_brute_force(void **state)
{
	enum { N = 70, LINES = 5 };
	uint32_t seed = 9;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct vtb_trace t;
		struct vtb_races races;
		struct vtb_orderindex *order;
		uint32_t x, m;
		bool expected[LINES + 1][LINES + 1] = { { false } };
		size_t n = 0;
		int holder = -1;

		t_begin(&t, 3);
		x = t_object(&t, VTB_OBJ_GLOBAL, "x", 16, VTB_NONE);
		m = t_lock(&t, "m");
		for (size_t i = 0; i < N; i++) {
			const uint32_t bits = (seed = seed * 1664525u + 1013904223u) >> 8, thread = bits % 3;

			if (bits >> 4 & 1 && (holder < 0 || holder == (int)thread)) {
				t_event(&t, thread, holder < 0 ? VTB_E_LOCK : VTB_E_UNLOCK, m, 0);
				holder = holder < 0 ? (int)thread : -1;
			} else {
				struct vtb_event *e = t_event(&t, thread, bits >> 5 & 1 ? VTB_E_READ : VTB_E_WRITE, x,
				                              1 + (bits >> 7) % LINES);

				e->size = 1u << (bits >> 10 & 3);
				e->addr += (bits >> 12) % 12;
			}
		}
		assert_int_equal(vtb_orderindex_new(&t, 0, &order), 0);
		for (size_t b = 0; b < N; b++)
			for (size_t a = 0; a < b; a++)
				if (t.events[a].kind <= VTB_E_WRITE && t.events[b].kind <= VTB_E_WRITE &&
				    vtb_event_conflict(&t.events[a], &t.events[b]) &&
				    vtb_orderindex_compare(order, a, b) == VTB_CONCURRENT) {
					const uint32_t p = t.tab.sites[t.events[a].site].line,
					               q = t.tab.sites[t.events[b].site].line;

					expected[p < q ? p : q][p < q ? q : p] = true;
				}
		for (int p = 0; p <= LINES; p++)
			for (int q = 0; q <= LINES; q++)
				n += expected[p][q];
		assert_int_equal(vtb_races_of(&t, &races), 0);
		assert_int_equal(races.n_races, n);
		for (size_t i = 0; i < races.n_races; i++) {
			const uint32_t p = t.tab.sites[races.races[i].sites[0]].line,
			               q = t.tab.sites[races.races[i].sites[1]].line;

			assert_true(expected[p < q ? p : q][p < q ? q : p]);
			assert_int_equal(
			    vtb_orderindex_compare(order, races.races[i].events[0], races.races[i].events[1]),
			    VTB_CONCURRENT);
		}
		vtb_races_fini(&races);
		vtb_orderindex_free(order);
		vtb_trace_fini(&t);
	}
}

static void the_profile_counts_and_intersects_locks(void **state)
{
	struct vtb_trace t;
	struct vtb_profile profile;
	const struct vtb_profile_var *v;
	uint32_t m, n, x, y, child;

	(void)state;
	t_begin(&t, 2);
	m = t_lock(&t, "m");
	n = t_lock(&t, "n");
	x = t_int(&t, "x");
	y = t_int(&t, "y");
	child = t_thread(&t, 1);
	t_event(&t, 0, VTB_E_WRITE, x, 1); /* before the thread exists: no lock needed */
	t_event(&t, 0, VTB_E_THREAD_CREATE, child, 2);
	t_event(&t, 1, VTB_E_THREAD_BEGIN, child, 0);
	t_event(&t, 1, VTB_E_LOCK, m, 3);
	t_event(&t, 1, VTB_E_LOCK, n, 4);
	t_event(&t, 1, VTB_E_READ, x, 5);
	t_event(&t, 1, VTB_E_WRITE, x, 6);
	t_event(&t, 1, VTB_E_UNLOCK, n, 7);
	t_event(&t, 1, VTB_E_UNLOCK, m, 8);
	t_event(&t, 0, VTB_E_LOCK, m, 9);
	t_event(&t, 0, VTB_E_WRITE, x, 10);
	t_event(&t, 0, VTB_E_UNLOCK, m, 11);
	t_event(&t, 1, VTB_E_WRITE, y, 12);
	t_event(&t, 1, VTB_E_THREAD_END, child, 0);
	t_event(&t, 0, VTB_E_THREAD_JOIN, child, 13);
	t_event(&t, 0, VTB_E_READ, x, 14); /* after it is gone: none either */
	assert_int_equal(vtb_profile_of(&t, &profile), 0);
	v = vtb_profile_find(&profile, x);
	assert_non_null(v);
	assert_int_equal(v->reads, 2);
	assert_int_equal(v->writes, 3);
	assert_true(v->shared && v->contended);
	assert_int_equal(v->write_locks.n, 1);
	assert_int_equal(v->write_locks.ids[0], m);
	assert_int_equal(v->read_locks.n, 2);
	assert_int_equal(v->writers.n, 2);
	assert_int_equal(v->readers.n, 2);
	assert_int_equal(t.tab.sites[v->first_site].line, 1);
	assert_int_equal(t.tab.sites[v->last_site].line, 14);
	assert_ptr_equal(v, &profile.vars[0]); /* contended ones first */
	v = vtb_profile_find(&profile, y);
	assert_false(v->shared);
	assert_true(vtb_profile_find(&profile, m)->sync);
	assert_null(vtb_profile_find(&profile, VTB_NONE));
	vtb_profile_fini(&profile);
	vtb_trace_fini(&t);
}

static void read_locks_do_not_protect_writes(void **state)
{
	struct vtb_trace t;
	struct vtb_profile profile;
	uint32_t l, x;

	(void)state;
	t_begin(&t, 2);
	l = t_lock(&t, "l");
	x = t_int(&t, "x");
	for (uint32_t thread = 0; thread < 2; thread++) {
		t_event(&t, thread, VTB_E_RDLOCK, l, 1);
		t_event(&t, thread, VTB_E_READ, x, 2);
		t_event(&t, thread, VTB_E_WRITE, x, 3);
		t_event(&t, thread, VTB_E_RWUNLOCK, l, 4);
	}
	assert_int_equal(vtb_profile_of(&t, &profile), 0);
	assert_int_equal(vtb_profile_find(&profile, x)->read_locks.n, 1);
	assert_int_equal(vtb_profile_find(&profile, x)->write_locks.n, 0);
	vtb_profile_fini(&profile);
	vtb_trace_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(races_are_grouped_by_variable_and_both_sites),
		cmocka_unit_test(overlapping_accesses_of_different_sizes_race),
		cmocka_unit_test(atomics_race_with_plain_accesses_only),
		cmocka_unit_test(unknown_addresses_are_counted_and_never_guessed),
		cmocka_unit_test(symbolic_addresses_meet_exact_ones_once_the_object_is_placed),
		cmocka_unit_test(memory_handed_out_again_begins_a_new_life),
		cmocka_unit_test(a_block_given_back_does_not_race_with_the_next_one),
		cmocka_unit_test(unlocking_a_freed_mutex_is_a_race),
		cmocka_unit_test(pairs_of_sites_agree_with_brute_force),
		cmocka_unit_test(the_profile_counts_and_intersects_locks),
		cmocka_unit_test(read_locks_do_not_protect_writes),
	};

	return cmocka_run_group_tests_name("races and profile", tests, NULL, NULL);
}
