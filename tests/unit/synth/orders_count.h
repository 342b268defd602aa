/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which ordered t-subsets of 600 threads do P priority orders show? Pair (a, b) gets one bit for each order that puts a
 * before b; a chain a, b, c ... is shown where the bits of all its neighbours have one in common.
 */
#ifndef VTB_TEST_ORDERS_COUNT_H
#define VTB_TEST_ORDERS_COUNT_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/orders.h"
#include "vtb/rng.h"

enum { ORDERS_N = 600, ORDERS_WORDS = 6 };

struct pairs {
	uint64_t before[ORDERS_N][ORDERS_N][ORDERS_WORDS];
	uint32_t words;
};

/** Orders `first` .. first + p - 1 of the seed. */
static inline void pairs_fill(struct pairs *x, uint64_t first, uint32_t p, uint64_t seed)
{
	memset(x, 0, sizeof(*x));
	x->words = (p + 63) / 64;
	for (uint32_t i = 0; i < p; i++) {
		uint32_t order[ORDERS_N];

		vtb_order(ORDERS_N, first + i, false, seed, order);
		for (uint32_t j = 0; j < ORDERS_N; j++)
			for (uint32_t k = j + 1; k < ORDERS_N; k++)
				x->before[order[j]][order[k]][i / 64] |= 1ull << i % 64;
	}
}

/* The fraction of ordered t-subsets that p random orders are expected to miss. */
static inline double expected_missed(uint32_t t, uint32_t p)
{
	return pow(1 - 1 / tgamma(t + 1), p);
}

static inline int pairs_show(const struct pairs *x, const uint32_t *chain, uint32_t t)
{
	for (uint32_t w = 0; w < x->words; w++) {
		uint64_t common = ~0ull;

		for (uint32_t i = 0; i + 1 < t; i++)
			common &= x->before[chain[i]][chain[i + 1]][w];
		if (common)
			return 1;
	}
	return 0;
}

/** Ordered triples that no order shows: of all 600 * 599 * 598. */
static inline uint64_t pairs_missed_triples(const struct pairs *x)
{
	uint64_t missed = 0;

	for (uint32_t a = 0; a < ORDERS_N; a++)
		for (uint32_t b = 0; b < ORDERS_N; b++)
			for (uint32_t c = 0; c < ORDERS_N; c++)
				missed +=
				    a != b && b != c && a != c && !pairs_show(x, (const uint32_t[]){ a, b, c }, 3);
	return missed;
}

/** The fraction of `samples` random ordered t-subsets that no order shows. */
static inline double pairs_missed_sample(const struct pairs *x, uint32_t t, uint64_t samples, uint64_t seed)
{
	uint64_t rng = vtb_mix64(seed + 77), missed = 0;

	for (uint64_t s = 0; s < samples; s++) {
		uint32_t chain[8];

		for (uint32_t i = 0; i < t;) {
			int again = 0;

			chain[i] = (uint32_t)vtb_rng_below(&rng, ORDERS_N);
			for (uint32_t j = 0; j < i; j++)
				again |= chain[j] == chain[i];
			i += !again;
		}
		missed += !pairs_show(x, chain, t);
	}
	return (double)missed / (double)samples;
}

/** Mean and standard error of the mean of `batches` independent sets of p orders. */
struct estimate {
	double mean, error;
};

static inline struct estimate estimate_missed(struct pairs *x, uint32_t t, uint32_t p, uint32_t batches,
                                              uint64_t samples, uint64_t seed)
{
	double sum = 0, squares = 0;

	for (uint32_t i = 0; i < batches; i++) {
		double f;

		pairs_fill(x, 2 + (uint64_t)i * p, p, seed); /* orders 0 and 1 are no random ones */
		f = t == 3 ? (double)pairs_missed_triples(x) / (600.0 * 599 * 598)
		           : pairs_missed_sample(x, t, samples, seed + i);
		sum += f;
		squares += f * f;
	}
	return (struct estimate){ sum / batches,
		                  sqrt((squares / batches - sum / batches * (sum / batches)) / (batches - 1)) };
}

#endif /* VTB_TEST_ORDERS_COUNT_H */
