/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is added up to tell a class: 128 bits that look random, the same in every run. */
#ifndef VTB_HBGRAPH_CLASS_HASH_H
#define VTB_HBGRAPH_CLASS_HASH_H

#include "vtb/trace.h"

__extension__ typedef unsigned __int128 sum128;

/* The end of SplitMix64. */
static inline uint64_t scatter(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static inline sum128 hash_word(uint64_t x)
{
	return (sum128)scatter(~x) << 64 | scatter(x);
}

/* The thread has done one more operation. */
static inline sum128 hash_step(uint32_t thread)
{
	return hash_word(thread + UINT64_C(1));
}

/* An operation of which somebody learns. */
static inline sum128 hash_operation(uint32_t thread, uint32_t count)
{
	return hash_word((thread + UINT64_C(1)) << 32 | count);
}

/* Which event it is, and the operations of which it learns. */
static inline sum128 hash_event(const struct vtb_event *e, uint32_t number, sum128 news)
{
	uint64_t which = e->thread | (uint64_t)e->kind << 16 | (uint64_t)number << 24;

	if (e->deviation)
		which ^= scatter((uint64_t)e->deviation << 56 | (uint64_t)e->place << 40 | 1);
	return (sum128)scatter((uint64_t)(news >> 64) + ~which) << 64 | scatter((uint64_t)news ^ which);
}

#endif /* VTB_HBGRAPH_CLASS_HASH_H */
