/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file state_hash.h
 * Fingerprints of 128 bits for states of a process (match.c): libc has none, and the tools' xxHash cannot come along.
 *
 * How:     16 bytes at a time are multiplied, 64 by 64 bits, into a state of 128 bits; what went in is added again, so
 * that a factor that happens to be 0 loses nothing. Four such states side by side, since a multiplication takes four
 * cycles, then a last mix. Quality: taken for random: n states merge falsely with probability below n^2 / 2^129
 * (tests/unit/runtime/test_state_hash.c looks for signs of the contrary). Not for defence against an adversary. Cost:
 * about 10 bytes a nanosecond, with general registers only.
 */
#ifndef VTB_RT_STATE_HASH_H
#define VTB_RT_STATE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct vtb_state_hash {
	uint64_t lo, hi;
};

/* Digits of pi. */
#define VTB_STATE_K0 0x243f6a8885a308d3ull
#define VTB_STATE_K1 0x13198a2e03707344ull
#define VTB_STATE_K2 0xa4093822299f31d0ull
#define VTB_STATE_K3 0x082efa98ec4e6c89ull

static inline void vtb_state_step(struct vtb_state_hash *h, uint64_t a, uint64_t b)
{
	const uint64_t x = a ^ h->lo ^ VTB_STATE_K0, y = b ^ h->hi ^ VTB_STATE_K1;
	const unsigned __int128 p = (unsigned __int128)x * y;

	h->lo = (uint64_t)p + (y << 23 | y >> 41) + VTB_STATE_K2;
	h->hi = ((uint64_t)(p >> 64) ^ (x << 31 | x >> 33)) + VTB_STATE_K3;
}

static inline uint64_t vtb_state_last(uint64_t z)
{
	z = (z ^ z >> 33) * 0xff51afd7ed558ccdull;
	z = (z ^ z >> 29) * 0xc4ceb9fe1a85ec53ull;
	return z ^ z >> 32;
}

static inline struct vtb_state_hash vtb_state_finish(struct vtb_state_hash h)
{
	vtb_state_step(&h, h.hi, h.lo);
	vtb_state_step(&h, VTB_STATE_K2, VTB_STATE_K1);
	h.lo = vtb_state_last(h.lo + (h.hi << 7 | h.hi >> 57));
	h.hi = vtb_state_last(h.hi + (h.lo << 21 | h.lo >> 43));
	return h;
}

/** Fingerprint of `size` bytes, a multiple of 8, at an address that is a multiple of 8. `seed` tells apart equal bytes
 * at different places. */
static inline struct vtb_state_hash vtb_state_of(const void *data, size_t size, uint64_t seed)
{
	const uint64_t *w = data;
	struct vtb_state_hash lane[4];
	size_t n = size / 8;

	for (unsigned i = 0; i < 4; i++)
		lane[i] = (struct vtb_state_hash){ seed + i * VTB_STATE_K2, size ^ (i + 1) * VTB_STATE_K3 };
	for (; n >= 8; n -= 8, w += 8)
		for (unsigned i = 0; i < 4; i++)
			vtb_state_step(&lane[i], w[2 * i], w[2 * i + 1]);
	for (; n >= 2; n -= 2, w += 2)
		vtb_state_step(&lane[n / 2 & 3], w[0], w[1]);
	if (n)
		vtb_state_step(&lane[0], w[0], VTB_STATE_K0);
	for (unsigned i = 1; i < 4; i++) {
		vtb_state_step(&lane[0], lane[i].lo, lane[i].hi);
		vtb_state_step(&lane[0], lane[i].hi, lane[i].lo);
	}
	return vtb_state_finish(lane[0]);
}

/** The fingerprint of a set of parts: each part's is added, in any order. */
static inline void vtb_state_add(struct vtb_state_hash *sum, struct vtb_state_hash part)
{
	sum->lo += part.lo;
	sum->hi += part.hi;
}

#endif /* VTB_RT_STATE_HASH_H */
