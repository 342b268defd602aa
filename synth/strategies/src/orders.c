/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/orders.h"

#include <math.h>

#include "vtb/error.h"
#include "vtb/rng.h"

uint64_t vtb_factorial(uint64_t n)
{
	uint64_t f = 1;

	if (n > 20)
		return UINT64_MAX;
	for (uint64_t i = 2; i <= n; i++)
		f *= i;
	return f;
}

uint64_t vtb_orders_needed(uint32_t n, uint32_t t, uint32_t c, bool creators, double epsilon)
{
	const double wanted = (double)t + c + creators, entries = (double)n + c;
	double p;

	if (n <= 1)
		return 1;
	if (t <= 2 && c == 0)
		return 2;
	p = tgamma(wanted + 2) * (log(entries * wanted) - log(epsilon));
	return p < 1e18 ? (uint64_t)ceil(p) : UINT64_MAX;
}

bool vtb_orders_enumerable(uint32_t n, uint32_t t, uint32_t c, bool creators, double epsilon)
{
	return n <= VTB_ORDERS_ENUMERATED &&
	       vtb_factorial((uint64_t)n + c) <= vtb_orders_needed(n, t, c, creators, epsilon);
}

static void shuffle(uint32_t *items, uint32_t n, uint64_t *rng)
{
	for (uint32_t i = n; i > 1; i--) {
		const uint32_t j = (uint32_t)vtb_rng_below(rng, i), x = items[i - 1];

		items[i - 1] = items[j];
		items[j] = x;
	}
}

/* Number `code` of the n! permutations, by the factorial number system. */
static void unrank(uint32_t n, uint64_t code, uint32_t *ret)
{
	uint32_t left[VTB_ORDERS_ENUMERATED];

	for (uint32_t i = 0; i < n; i++)
		left[i] = i;
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t f = vtb_factorial(n - i - 1);
		const uint32_t k = (uint32_t)(code / f);

		code %= f;
		ret[i] = left[k];
		for (uint32_t j = k; j + 1 < n - i; j++)
			left[j] = left[j + 1];
	}
}

static bool is_first_or_second(const uint32_t *order, uint32_t n)
{
	bool first = order[0] == 0, second = order[n - 1] == 0;

	for (uint32_t i = 1; i < n; i++) {
		first &= order[i] == n - i;
		second &= order[i - 1] == i;
	}
	return first || second;
}

/* A walk over 0 .. m-1 in a scattered order that meets each number once: an affine map with a multiplier coprime to m.
 */
static uint64_t scatter(uint64_t i, uint64_t m, uint64_t seed)
{
	const uint64_t shift = vtb_mix64(seed + 1) % m;
	uint64_t step = 1 + vtb_mix64(seed + 2) % m;

	for (;; step++) {
		uint64_t a = step, b = m;

		while (b) {
			const uint64_t rest = a % b;

			a = b;
			b = rest;
		}
		if (a == 1)
			return (i * step + shift) % m;
	}
}

/* The i-th (from 2) of the enumerated orders: the walk, leaving out numbers 0 and 1. */
static void enumerated(uint32_t n, uint64_t i, uint64_t seed, uint32_t *ret)
{
	const uint64_t m = vtb_factorial(n);
	uint64_t skip = i - 2;

	for (uint64_t k = 0; k < m; k++) {
		unrank(n, scatter(k, m, seed), ret);
		if (!is_first_or_second(ret, n) && skip-- == 0)
			return;
	}
}

void vtb_order(uint32_t n, uint64_t i, bool enumerate, uint64_t seed, uint32_t *ret)
{
	uint64_t rng = vtb_mix64(seed ^ vtb_mix64(i * 0x9e3779b97f4a7c15ull + n));

	VTB_ASSERT(!enumerate || n <= VTB_ORDERS_ENUMERATED);
	if (enumerate && i > 1) {
		enumerated(n, i, seed, ret);
		return;
	}
	for (uint32_t k = 0; k < n; k++)
		ret[k] = (n - k) % n; /* 0, n-1, ..., 1 */
	if (i == 1)
		for (uint32_t k = 0; k < n; k++)
			ret[k] = (k + 1) % n;
	if (i > 1)
		shuffle(ret, n, &rng);
}

uint32_t vtb_order_place(uint32_t n, uint64_t i, uint64_t seed)
{
	uint64_t rng = vtb_mix64(seed ^ vtb_mix64(i + 0x5851f42d4c957f2dull) ^ (uint64_t)n << 40);

	return (uint32_t)vtb_rng_below(&rng, (uint64_t)n + 1);
}
