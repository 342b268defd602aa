/* SPDX-License-Identifier: BSD-2-Clause */
/** @file remainder.h A random number becomes one of a few, without a division. */
#ifndef VTB_RT_REMAINDER_H
#define VTB_RT_REMAINDER_H

#include <stdint.h>

#define VTB_REMAINDER_FEW 32u
#define VTB_PART_OF(n) (n) ? UINT64_MAX / ((n) ? (n) : 1) : 0
#define VTB_PARTS_OF(n) VTB_PART_OF(n), VTB_PART_OF((n) + 1), VTB_PART_OF((n) + 2), VTB_PART_OF((n) + 3)

/** x % n, n > 0. Who goes on is known after it, and only then does the processor see that it has foretold another one.
 * O(1). */
static inline uint32_t vtb_remainder(uint64_t x, uint32_t n)
{
	static const uint64_t parts[VTB_REMAINDER_FEW] = { VTB_PARTS_OF(0),  VTB_PARTS_OF(4),  VTB_PARTS_OF(8),
		                                           VTB_PARTS_OF(12), VTB_PARTS_OF(16), VTB_PARTS_OF(20),
		                                           VTB_PARTS_OF(24), VTB_PARTS_OF(28) };
	uint64_t r;

	if (__builtin_expect(n >= VTB_REMAINDER_FEW, 0))
		return (uint32_t)(x % n);
	/* parts[n] is less than 2^64 / n by at most 1, so the quotient is at most 1 too small */
	r = x - (uint64_t)((unsigned __int128)x * parts[n] >> 64) * n;
	return (uint32_t)(r < n ? r : r - n);
}

#endif /* VTB_RT_REMAINDER_H */
