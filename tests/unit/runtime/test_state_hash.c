/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fingerprints of states: nothing that differs may come out alike, also where inputs differ in little. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../runtime/base/state_hash.h"

#define PAGE 4096

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Pairs among n numbers of `bits` random bits that are equal: so many are expected. */
static double expected(double n, int bits)
{
	return ldexp(n * n, -bits - 1);
}

static uint64_t equal_pairs(const struct vtb_state_hash *h, size_t n, int half, int shift, int bits)
{
	uint64_t *part = malloc(n * sizeof(*part)), pairs = 0;

	assert_non_null(part);
	for (size_t i = 0; i < n; i++)
		part[i] = (half ? h[i].hi : h[i].lo) >> shift & ((1ull << bits) - 1);
	qsort(part, n, sizeof(*part), compare);
	for (size_t i = 1, same = 0; i < n; i++) {
		same = part[i] == part[i - 1] ? same + 1 : 0;
		pairs += same;
	}
	free(part);
	return pairs;
}

/* Every window of 32 bits is as random as 32 bits can be: what chance gives, give or take six deviations. */
static void look_random(const struct vtb_state_hash *h, size_t n)
{
	const double want = expected((double)n, 32), most = want + 6 * sqrt(want) + 6;

	for (int half = 0; half < 2; half++)
		for (int shift = 0; shift <= 32; shift += 8)
			assert_true((double)equal_pairs(h, n, half, shift, 32) <= most);
}

#define N 200000u
static struct vtb_state_hash hashes[N];

static void pages_that_differ_in_two_bits_differ(void **state)
{
	static uint64_t page[PAGE / 8];
	uint32_t n = 0;

	(void)state;
	for (uint32_t i = 0; n < N; i++)
		for (uint32_t k = i + 1; n < N && k < i + 700; k++) {
			page[i / 64 % 512] ^= 1ull << i % 64;
			page[k / 64 % 512] ^= 1ull << k % 64;
			hashes[n++] = vtb_state_of(page, sizeof(page), 1);
			page[i / 64 % 512] ^= 1ull << i % 64;
			page[k / 64 % 512] ^= 1ull << k % 64;
		}
	look_random(hashes, N);
}

static void small_numbers_at_small_places_differ(void **state)
{
	uint64_t words[16] = { 0 };
	uint32_t n = 0;

	(void)state;
	for (uint32_t seed = 0; seed < 40; seed++)
		for (uint32_t place = 0; place < 10; place++)
			for (uint64_t value = 0; value < 500; value++) {
				words[place] = value + 1;
				hashes[n++] = vtb_state_of(words, sizeof(words), seed);
				words[place] = 0;
			}
	assert_int_equal(n, N);
	look_random(hashes, N);
}

static void a_factor_that_is_zero_loses_nothing(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < N; i++) {
		struct vtb_state_hash h = { 5, 7 };

		vtb_state_step(&h, VTB_STATE_K0 ^ 5, i); /* the first factor is 0 */
		hashes[i] = vtb_state_finish(h);
	}
	look_random(hashes, N);
	for (uint32_t i = 0; i < N; i++) {
		struct vtb_state_hash h = { 5, 7 };

		vtb_state_step(&h, i, VTB_STATE_K1 ^ 7); /* the second one */
		hashes[i] = vtb_state_finish(h);
	}
	look_random(hashes, N);
}

static void words_that_change_places_differ(void **state)
{
	uint64_t a[9], b[9];

	(void)state;
	for (uint64_t i = 0; i < 9; i++)
		a[i] = 1000 + i * i;
	for (unsigned i = 0; i < 9; i++)
		for (unsigned k = i + 1; k < 9; k++) {
			struct vtb_state_hash x, y;

			memcpy(b, a, sizeof(a));
			b[i] = a[k];
			b[k] = a[i];
			x = vtb_state_of(a, sizeof(a), 3);
			y = vtb_state_of(b, sizeof(b), 3);
			assert_true(x.lo != y.lo && x.hi != y.hi);
		}
}

static void what_follows_the_bytes_and_how_many_there_are_count(void **state)
{
	static const uint64_t zeros[64];
	struct vtb_state_hash h[64];

	(void)state;
	for (size_t n = 0; n < 64; n++) {
		h[n] = vtb_state_of(zeros, n * 8, 9);
		for (size_t i = 0; i < n; i++)
			assert_true(h[i].lo != h[n].lo && h[i].hi != h[n].hi);
	}
}

static void the_order_of_parts_does_not_count(void **state)
{
	struct vtb_state_hash a = { 0, 0 }, b = { 0, 0 }, parts[10];

	(void)state;
	for (uint64_t i = 0; i < 10; i++)
		parts[i] = vtb_state_of(&i, 8, i);
	for (int i = 0; i < 10; i++) {
		vtb_state_add(&a, parts[i]);
		vtb_state_add(&b, parts[9 - i]);
	}
	assert_true(a.lo == b.lo && a.hi == b.hi);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_that_differ_in_two_bits_differ),
		cmocka_unit_test(small_numbers_at_small_places_differ),
		cmocka_unit_test(a_factor_that_is_zero_loses_nothing),
		cmocka_unit_test(words_that_change_places_differ),
		cmocka_unit_test(what_follows_the_bytes_and_how_many_there_are_count),
		cmocka_unit_test(the_order_of_parts_does_not_count),
	};

	return cmocka_run_group_tests_name("state_hash", tests, NULL, NULL);
}
