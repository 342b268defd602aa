/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The set of fingerprints, at its limit too; and whether fingerprints are as good as drawn at random, on which its
 * probability rests. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "vtb/hash_set.h"
#include "vtb/mazurkiewicz.h"
#include "vtb/rng.h"

#define MANY 20000u

static struct vtb_hash128 key(uint64_t i)
{
	return (struct vtb_hash128){ .lo = i % 3 ? vtb_mix64(i) : i, .hi = i % 5 ? 0 : i }; /* also neighbours, and 0 */
}

static void each_is_new_once(void **state)
{
	struct vtb_hash_set s = { 0 };
	bool is_new;

	(void)state;
	for (uint64_t round = 0; round < 2; round++)
		for (uint64_t i = 0; i < MANY; i++) {
			assert_int_equal(vtb_hash_set_add(&s, key(i), &is_new), 0);
			assert_int_equal(is_new, round == 0);
		}
	assert_int_equal(s.used, MANY);
	assert_int_equal(s.not_kept, 0);
	assert_true(s.room <= 2 * MANY);
	vtb_hash_set_fini(&s);
}

static void either_half_tells_two_apart(void **state)
{
	struct vtb_hash_set s = { 0 };
	bool is_new;

	(void)state;
	for (uint64_t lo = 1; lo <= 64; lo++)
		for (uint64_t hi = 1; hi <= 64; hi++) {
			assert_int_equal(vtb_hash_set_add(&s, (struct vtb_hash128){ lo << 40, hi << 40 }, &is_new), 0);
			assert_true(is_new);
		}
	vtb_hash_set_fini(&s);
}

static void a_full_set_keeps_what_it_has_and_counts_the_rest(void **state)
{
	struct vtb_hash_set s = { .limit = 1024 };
	bool is_new;

	(void)state;
	for (uint64_t i = 1; i <= 2000; i++) {
		assert_int_equal(vtb_hash_set_add(&s, (struct vtb_hash128){ i, i }, &is_new), 0);
		assert_true(is_new);
	}
	assert_int_equal(s.room, 1024);
	assert_int_equal(s.used, 768);
	assert_int_equal(s.not_kept, 2000 - 768);
	assert_int_equal(vtb_hash_set_add(&s, (struct vtb_hash128){ 1, 1 }, &is_new), 0);
	assert_false(is_new);
	assert_int_equal(vtb_hash_set_add(&s, (struct vtb_hash128){ 2000, 2000 }, &is_new), 0);
	assert_true(is_new);
	vtb_hash_set_fini(&s);
}

static void the_odds_are_those_of_all_pairs(void **state)
{
	struct vtb_hash_set s = { .used = 10000000 };

	(void)state;
	assert_true(fabs(vtb_hash_set_merged(&s) / (1e14 / 6.80564733841876927e38) - 1) < 1e-12); /* n^2 / 2^129 */
}

/* ---- are fingerprints as good as drawn at random? */

#define THREADS 3
#define ADDS 4
#define CLASSES 34650u /* (3 * 4)! / 4!^3 */
#define BITS 22u       /* of a window: some 143 pairs of 34 650 agree in it by chance */

static struct vtb_hash128 *prints;
static size_t n_prints;

/* All orders of the threads' additions to one number: each is a class of its own, and very much like others. */
static void take_all_orders(struct vtb_mazurkiewicz *m, struct vtb_event *order, unsigned n, unsigned *left)
{
	struct vtb_hash128 h = { 0, 0 };

	for (uint16_t t = 0; t < THREADS; t++)
		if (left[t]) {
			left[t]--;
			order[n] = (struct vtb_event){ .kind = VTB_E_ATOMIC_RMW,
				                       .thread = t,
				                       .var = 1,
				                       .addr = 4096,
				                       .size = 4,
				                       .site = VTB_NONE };
			take_all_orders(m, order, n + 1, left);
			left[t]++;
		}
	if (n < THREADS * ADDS)
		return;
	vtb_mazurkiewicz_begin(m);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(vtb_mazurkiewicz_feed(m, &order[i], &h), 0);
	assert_true(n_prints < CLASSES);
	prints[n_prints++] = h;
}

static uint32_t window(const struct vtb_hash128 *h, unsigned from)
{
	const uint64_t bits = from < 64 ? h->lo >> from | (from ? h->hi << (64 - from) : 0) : h->hi >> (from - 64);

	return (uint32_t)bits & ((1u << BITS) - 1);
}

/* Pairs that agree in the window. */
static double pairs_alike(uint16_t *times, unsigned from)
{
	double pairs = 0;

	memset(times, 0, sizeof(*times) << BITS);
	for (size_t i = 0; i < n_prints; i++)
		pairs += times[window(&prints[i], from)]++;
	return pairs;
}

/* Expected: n (n - 1) / 2^(BITS + 1), with its square root as the deviation. A sum of weakly mixed terms fails this by
 * a wide margin. */
static void fingerprints_of_classes_that_are_alike_agree_by_chance_only(void **state)
{
	const double expected = CLASSES * (CLASSES - 1.0) / (2u << BITS);
	unsigned left[THREADS] = { ADDS, ADDS, ADDS };
	struct vtb_event order[THREADS * ADDS];
	uint16_t *times = malloc(sizeof(*times) << BITS);
	struct vtb_hash_set s = { 0 };
	struct vtb_mazurkiewicz *m;
	bool is_new;

	(void)state;
	prints = malloc(CLASSES * sizeof(*prints));
	assert_non_null(prints);
	assert_non_null(times);
	assert_int_equal(vtb_mazurkiewicz_new(NULL, &m), 0);
	take_all_orders(m, order, 0, left);
	assert_int_equal(n_prints, CLASSES);
	for (unsigned from = 0; from + BITS <= 128; from += 6)
		assert_true(fabs(pairs_alike(times, from) - expected) < 6 * sqrt(expected));
	for (size_t i = 0; i < n_prints; i++) {
		assert_int_equal(vtb_hash_set_add(&s, prints[i], &is_new), 0);
		assert_true(is_new);
	}
	vtb_hash_set_fini(&s);
	vtb_mazurkiewicz_free(m);
	free(prints);
	free(times);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_new_once),
		cmocka_unit_test(either_half_tells_two_apart),
		cmocka_unit_test(a_full_set_keeps_what_it_has_and_counts_the_rest),
		cmocka_unit_test(the_odds_are_those_of_all_pairs),
		cmocka_unit_test(fingerprints_of_classes_that_are_alike_agree_by_chance_only),
	};

	return cmocka_run_group_tests_name("hash_set", tests, NULL, NULL);
}
