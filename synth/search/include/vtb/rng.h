/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file rng.h
 * Random numbers that are the same everywhere for one seed: SplitMix64 [SPLITMIX14]. Not for secrets.
 */
#ifndef VTB_RNG_H
#define VTB_RNG_H

#include <stdint.h>

/** Scatter the bits of x: a bijection on 64 bits. */
static inline uint64_t vtb_mix64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static inline uint64_t vtb_rng_next(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ull;
	return vtb_mix64(*state);
}

/** Uniform in 0 .. n-1 (n >= 1); the bias of the multiplication is below n / 2^64. */
static inline uint64_t vtb_rng_below(uint64_t *state, uint64_t n)
{
	return (uint64_t)((unsigned __int128)vtb_rng_next(state) * n >> 64);
}

/** Uniform in [0, 1). */
static inline double vtb_rng_unit(uint64_t *state)
{
	return (double)(vtb_rng_next(state) >> 11) * 0x1p-53;
}

#endif /* VTB_RNG_H */
