/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "orders_count.h"

static void the_numbers_of_lemma_4_1_come_out(void **state)
{
	(void)state;
	assert_int_equal(vtb_orders_needed(600, 3, 0, false, 0.01), 291); /* 290.4 */
	assert_int_equal(vtb_orders_needed(600, 4, 0, false, 0.01), 1487);
	assert_int_equal(vtb_orders_needed(600, 5, 0, false, 0.01), 9081);
	assert_int_equal(vtb_orders_needed(600, 2, 0, true, 0.01), 2);
	assert_int_equal(vtb_orders_needed(1, 3, 2, false, 0.01), 1);
}

static void numbers_beyond_64_bits_saturate(void **state)
{
	(void)state;
	assert_int_equal(vtb_factorial(20), 2432902008176640000ull);
	assert_true(vtb_factorial(21) == UINT64_MAX);
	assert_true(vtb_orders_needed(600, 60, 0, false, 0.01) == UINT64_MAX);
}

static void the_first_two_orders_are_opposite(void **state)
{
	const uint32_t first[] = { 0, 4, 3, 2, 1 }, second[] = { 1, 2, 3, 4, 0 };
	uint32_t got[5];

	(void)state;
	vtb_order(5, 0, false, 3, got);
	assert_memory_equal(got, first, sizeof(first));
	vtb_order(5, 1, true, 9, got);
	assert_memory_equal(got, second, sizeof(second));
}

static uint32_t code_of(const uint32_t *order, uint32_t n)
{
	uint32_t code = 0;

	for (uint32_t i = 0; i < n; i++)
		code = code * n + order[i];
	return code;
}

static void enumeration_meets_every_order_once(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 6; n++) {
		const uint64_t m = vtb_factorial(n);
		bool *met = calloc(46656, 1);

		for (uint64_t i = 0; i < m; i++) {
			uint32_t order[6];

			vtb_order(n, i, true, 5, order);
			assert_false(met[code_of(order, n)]);
			met[code_of(order, n)] = true;
		}
		free(met);
	}
}

/* After p random permutations of 600 the fraction of missed ordered t-subsets is (1 - 1/t!)^p; test_orders_long.c does
 * more of it. */
static void random_orders_miss_what_the_lemma_says(void **state)
{
	static struct pairs pairs;

	(void)state;
	for (uint32_t t = 3; t <= 5; t++) {
		const uint32_t p = t == 3 ? 8 : 40;
		const double expected = expected_missed(t, p);
		const struct estimate e = estimate_missed(&pairs, t, p, 1 + CASES(5), 50000, 11);

		print_message("t = %u, %u orders: missed %.5f +- %.5f, expected %.5f\n", t, p, e.mean, e.error,
		              expected);
		assert_true(fabs(e.mean - expected) < expected / 25);
	}
}

static bool misses_a_triple(uint64_t seed, uint32_t p)
{
	enum { N = 60 };
	static uint32_t place[400][N];

	for (uint32_t i = 0; i < p; i++) {
		uint32_t order[N];

		vtb_order(N, i + 2, false, seed, order);
		for (uint32_t k = 0; k < N; k++)
			place[i][order[k]] = k;
	}
	for (uint32_t a = 0; a < N; a++)
		for (uint32_t b = 0; b < N; b++)
			for (uint32_t c = 0; c < N; c++) {
				bool seen = a == b || b == c || a == c;

				for (uint32_t i = 0; i < p && !seen; i++)
					seen = place[i][a] < place[i][b] && place[i][b] < place[i][c];
				if (!seen)
					return true;
			}
	return false;
}

/* All ordered triples of 60 threads, 40 repetitions: the lemma allows 1 miss in 100. */
static void as_many_orders_as_needed_show_every_ordered_triple(void **state)
{
	const uint64_t p = vtb_orders_needed(60, 3, 0, false, 0.01);
	uint32_t missing = 0;

	(void)state;
	for (uint64_t seed = 0; seed < CASES(40); seed++)
		missing += misses_a_triple(seed, (uint32_t)p);
	assert_true(missing <= 3);           /* P(more than 3 of 40 | 1 %) < 1e-3; in truth the lemma is generous */
	assert_true(misses_a_triple(1, 30)); /* and far fewer are not enough */
}

/* Inserting one more entry at a drawn place keeps all orders equally likely. */
static void a_drawn_place_is_uniform(void **state)
{
	uint32_t count[5] = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 50000; i++)
		count[vtb_order_place(4, i, 17)]++;
	for (int k = 0; k < 5; k++)
		assert_in_range(count[k], 9600, 10400); /* 4.5 sigma */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_numbers_of_lemma_4_1_come_out),
		cmocka_unit_test(numbers_beyond_64_bits_saturate),
		cmocka_unit_test(the_first_two_orders_are_opposite),
		cmocka_unit_test(enumeration_meets_every_order_once),
		cmocka_unit_test(random_orders_miss_what_the_lemma_says),
		cmocka_unit_test(as_many_orders_as_needed_show_every_ordered_triple),
		cmocka_unit_test(a_drawn_place_is_uniform),
	};

	return cmocka_run_group_tests_name("orders", tests, NULL, NULL);
}
