/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of orders that no passing run has, of random runs, against all sets there are. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core_smallest.h"
#include "vtb/rng.h"

enum { OPS = 6, RUNS = 40, LITERALS = OPS * (OPS - 1) / 2 };

struct made {
	struct core_runs runs;
	struct core_run rows[RUNS];
	uint32_t at[RUNS][OPS];
	struct core_place where[RUNS][OPS];
	struct vtb_core_op ops[OPS];
	struct core_literal literals[LITERALS];
	struct core_literals all;
};

/* Some operations in some order. */
static void shuffle(uint64_t *seed, uint32_t *at)
{
	uint32_t order[OPS];

	for (uint32_t i = 0; i < OPS; i++)
		order[i] = i;
	for (uint32_t i = OPS - 1; i > 0; i--) {
		const uint32_t k = (uint32_t)(vtb_rng_next(seed) % (i + 1)), swapped = order[i];

		order[i] = order[k];
		order[k] = swapped;
	}
	for (uint32_t i = 0; i < OPS; i++)
		at[order[i]] = vtb_rng_next(seed) % 8 ? i + 1 : 0;
}

/* The first one fails; its orders are the literals, in an order that says nothing. */
static void make(struct made *m, uint64_t seed)
{
	memset(m, 0, sizeof(*m));
	for (size_t i = 0; i < RUNS; i++) {
		shuffle(&seed, m->at[i]);
		m->rows[i] = (struct core_run){
			.at = m->at[i], .where = m->where[i], .n_at = OPS, .ending = i ? CORE_PASSED : CORE_FAILED
		};
	}
	for (uint32_t i = 0; i < OPS; i++)
		m->ops[i] =
		    (struct vtb_core_op){ .thread = i % 3, .kind = vtb_rng_next(&seed) % 3 ? VTB_E_LOCK : VTB_E_WRITE };
	m->runs.ops = m->ops;
	m->runs.n_ops = OPS;
	m->runs.runs = m->rows;
	m->runs.n_runs = 2 + vtb_rng_next(&seed) % (RUNS - 2);
	m->all.literals = m->literals;
	for (uint32_t a = 0; a < OPS; a++)
		for (uint32_t b = 0; b < OPS; b++)
			if (m->ops[a].thread != m->ops[b].thread && core_holds(&m->rows[0], a, b))
				m->literals[m->all.n_literals++] = (struct core_literal){ .before = a, .after = b };
	for (size_t i = m->all.n_literals; i > 1; i--) {
		const size_t k = vtb_rng_next(&seed) % i;
		const struct core_literal swapped = m->literals[i - 1];

		m->literals[i - 1] = m->literals[k];
		m->literals[k] = swapped;
	}
	m->all.n_telling = m->all.n_literals;
}

static bool is_core(const struct made *m, uint32_t set)
{
	for (size_t i = 1; i < m->runs.n_runs; i++) {
		bool all = true;

		for (size_t k = 0; k < m->all.n_literals; k++)
			all &= !(set >> k & 1) || core_holds(&m->rows[i], m->literals[k].before, m->literals[k].after);
		if (all)
			return false;
	}
	return true;
}

/* One of as few as there are; 0: there is none. */
static uint32_t fewest(const struct made *m)
{
	uint32_t best = 0;

	for (uint32_t set = 1; set < 1u << m->all.n_literals; set++)
		if ((!best || __builtin_popcount(set) < __builtin_popcount(best)) && is_core(m, set))
			best = set;
	return best;
}

static bool has_lock_order(const struct made *m, uint32_t set)
{
	bool has = false;

	for (size_t i = 0; i < m->all.n_literals; i++)
		has |= set >> i & 1 && m->ops[m->literals[i].before].kind == VTB_E_LOCK &&
		       m->ops[m->literals[i].after].kind == VTB_E_LOCK;
	return has;
}

static bool has_third_thread(const struct made *m, uint32_t set)
{
	uint32_t threads = 0;

	for (size_t i = 0; i < m->all.n_literals; i++)
		if (set >> i & 1)
			threads |=
			    1u << m->ops[m->literals[i].before].thread | 1u << m->ops[m->literals[i].after].thread;
	return threads == 7;
}

/* 2: of no order of locks and between two threads; 1: between more of them; 0: of locks. */
static int worth(const struct made *m, uint32_t set)
{
	return has_lock_order(m, set) ? 0 : has_third_thread(m, set) ? 1 : 2;
}

static int best_worth(const struct made *m, int size)
{
	int best = 0;

	for (uint32_t set = 1; set < 1u << m->all.n_literals; set++)
		if (__builtin_popcount(set) == size && worth(m, set) > best && is_core(m, set))
			best = worth(m, set);
	return best;
}

static void of_those_as_small_data_of_two_threads_come_before_locks(void **state)
{
	unsigned found[3] = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct core_set set;
		struct made m;
		uint32_t got = 0;
		int best;

		make(&m, seed);
		if (core_smallest(&m.runs, &m.all, &set) == 1) {
			for (size_t i = 0; i < set.n_places; i++)
				got |= 1u << set.places[i];
			best = best_worth(&m, (int)set.n_places);
			assert_int_equal(worth(&m, got), best);
			found[best]++;
		}
		core_set_fini(&set);
	}
	assert_true(found[0] > 10 && found[1] > 10 && found[2] > 10);
}

static void no_set_is_smaller(void **state)
{
	unsigned found = 0, several = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct core_set set;
		struct made m;
		uint32_t got = 0, best;

		make(&m, seed);
		best = fewest(&m);
		assert_int_equal(core_smallest(&m.runs, &m.all, &set), best != 0);
		for (size_t i = 0; i < set.n_places; i++)
			got |= 1u << set.places[i];
		if (best) {
			assert_true(set.smallest && is_core(&m, got));
			assert_int_equal(__builtin_popcount(got), __builtin_popcount(best));
			found++;
			several += __builtin_popcount(best) > 1;
		}
		core_set_fini(&set);
	}
	assert_true(found > 100 && several > 50);
}

/* One order has no passing run, and two others together have none. */
static void smallest_where(size_t n_first, struct core_set *ret)
{
	static uint32_t at[3][6] = { { 1, 2, 3, 4, 5, 6 }, { 2, 1, 3, 4, 6, 5 }, { 1, 2, 4, 3, 6, 5 } };
	static struct core_place where[6];
	struct core_literal literals[] = { { .before = 0, .after = 1 },
		                           { .before = 2, .after = 3 },
		                           { .before = 4, .after = 5 } };
	struct core_run rows[3];
	struct vtb_core_op ops[6] = { { 0 } };
	const struct core_runs runs = { .ops = ops, .n_ops = 6, .runs = rows, .n_runs = 3 };
	const struct core_literals all = { .literals = literals, .n_literals = 3, .n_first = n_first, .n_telling = 3 };

	for (size_t i = 0; i < 3; i++)
		rows[i] = (struct core_run){
			.at = at[i], .where = where, .n_at = 6, .ending = i ? CORE_PASSED : CORE_FAILED
		};
	assert_int_equal(core_smallest(&runs, &all, ret), 1);
}

static void how_a_signal_was_missed_comes_before_what_is_smaller(void **state)
{
	struct core_set set;

	(void)state;
	smallest_where(0, &set);
	assert_int_equal(set.n_places, 1);
	assert_int_equal(set.places[0], 2);
	assert_true(set.smallest);
	core_set_fini(&set);
	smallest_where(2, &set);
	assert_int_equal(set.n_places, 2);
	assert_int_equal(set.places[1], 1);
	assert_false(set.smallest);
	core_set_fini(&set);
	smallest_where(1, &set); /* it does not suffice */
	assert_int_equal(set.n_places, 1);
	assert_int_equal(set.places[0], 2);
	core_set_fini(&set);
}

/* One order that only the failing run in question has, and two that all five failing runs have. */
static void of_a_sample_what_many_failing_runs_have_comes_before_what_is_smaller(void **state)
{
	static uint32_t many[] = { 1, 2, 3, 4, 6, 5 }, one[] = { 1, 2, 3, 4, 5, 6 };
	static uint32_t at[2][6] = { { 2, 1, 3, 4, 6, 5 }, { 1, 2, 4, 3, 6, 5 } };
	static struct core_place where[6];
	struct core_literal literals[] = { { .before = 0, .after = 1 },
		                           { .before = 2, .after = 3 },
		                           { .before = 4, .after = 5 } };
	struct core_run rows[7];
	struct vtb_core_op ops[6] = { { 0 } };
	const struct core_runs runs = { .ops = ops, .n_ops = 6, .runs = rows, .n_runs = 7 };

	(void)state;
	for (size_t i = 0; i < 7; i++)
		rows[i] = (struct core_run){ .at = !i      ? one
			                           : i < 5 ? many
			                                   : at[i - 5],
			                     .where = where,
			                     .n_at = 6,
			                     .ending = i < 5 ? CORE_FAILED : CORE_PASSED };
	for (int sampled = 0; sampled <= 1; sampled++) {
		const struct core_literals all = {
			.literals = literals, .n_literals = 3, .n_telling = 3, .sampled = sampled
		};
		struct core_set set;

		assert_int_equal(core_smallest(&runs, &all, &set), 1);
		assert_int_equal(set.n_places, sampled ? 2 : 1);
		assert_int_equal(set.places[0], sampled ? 0 : 2);
		assert_true(set.smallest);
		core_set_fini(&set);
	}
}

/* One order of locks, of which the second had still to come, or not, and one of data: each would do. Which is told? */
static uint32_t told_of(enum vtb_verdict verdict, bool open, unsigned kind)
{
	static uint32_t at[2][4] = { { 1, 2, 3, 4 }, { 2, 1, 4, 3 } };
	static struct core_place where[4];
	struct vtb_core_op ops[] = { { .thread = 0, .kind = (uint8_t)kind },
		                     { .thread = 1, .kind = (uint8_t)kind },
		                     { .thread = 0, .kind = VTB_E_READ },
		                     { .thread = 1, .kind = VTB_E_WRITE } };
	struct core_literal literals[] = { { .before = 0, .after = 1, .open = open }, { .before = 2, .after = 3 } };
	struct core_run rows[] = { { .at = at[0], .where = where, .n_at = 4, .ending = CORE_FAILED },
		                   { .at = at[1], .where = where, .n_at = 4, .ending = CORE_PASSED } };
	const struct core_runs runs = { .ops = ops, .n_ops = 4, .runs = rows, .n_runs = 2, .verdict = verdict };
	const struct core_literals all = { .literals = literals, .n_literals = 2, .n_telling = 2 };
	struct core_set set;
	uint32_t ret;

	assert_int_equal(core_smallest(&runs, &all, &set), 1);
	assert_int_equal(set.n_places, 1);
	assert_true(set.smallest);
	ret = set.places[0];
	core_set_fini(&set);
	return ret;
}

static void a_lock_that_is_waited_for_for_ever_and_one_that_is_only_tried_are_no_detail(void **state)
{
	(void)state;
	assert_int_equal(told_of(VTB_V_ASSERTION, false, VTB_E_LOCK), 1);
	assert_int_equal(told_of(VTB_V_ASSERTION, true, VTB_E_WRLOCK), 1);
	assert_int_equal(told_of(VTB_V_CONDITION_DEADLOCK, false, VTB_E_RDLOCK), 1);
	assert_int_equal(told_of(VTB_V_CONDITION_DEADLOCK, true, VTB_E_LOCK), 0);
	assert_int_equal(told_of(VTB_V_ASSERTION, false, VTB_E_TRYLOCK), 0);
	assert_int_equal(told_of(VTB_V_ASSERTION, false, VTB_E_TIMEDLOCK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_set_is_smaller),
		cmocka_unit_test(of_those_as_small_data_of_two_threads_come_before_locks),
		cmocka_unit_test(a_lock_that_is_waited_for_for_ever_and_one_that_is_only_tried_are_no_detail),
		cmocka_unit_test(of_a_sample_what_many_failing_runs_have_comes_before_what_is_smaller),
		cmocka_unit_test(how_a_signal_was_missed_comes_before_what_is_smaller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
