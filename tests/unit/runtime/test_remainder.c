/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The remainder without a division (runtime/sched/points/remainder.h) is that of a division. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "points/remainder.h"

#define DIVISORS (2 * VTB_REMAINDER_FEW)
#define NEAR 3u
#define ROUNDS 2000u

static uint64_t next(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

static void check(uint64_t x, uint32_t n)
{
	assert_int_equal(vtb_remainder(x, n), x % n);
}

/* Around multiples, where a quotient is one too small first: of small ones, large ones and any. */
static void of_multiples(void **state)
{
	(void)state;
	for (uint32_t n = 1; n < DIVISORS; n++)
		for (uint64_t i = 0; i < 2 * NEAR; i++) {
			const uint64_t last = UINT64_MAX / n * n;

			check(i, n);
			check(UINT64_MAX - i, n);
			check(last - NEAR + i, n);
			check((1ull << 63) - NEAR + i, n);
			check(next() / n * n - NEAR + i, n);
		}
}

static void of_any(void **state)
{
	(void)state;
	for (uint32_t n = 1; n < DIVISORS; n++)
		for (uint32_t i = 0; i < ROUNDS; i++)
			check(next() >> i % 64, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_multiples),
		cmocka_unit_test(of_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
