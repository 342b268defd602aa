/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file hash_set.h
 * A bounded set of 128-bit fingerprints, of classes and of states: open addressing, 16 bytes a place, at most 3/4 full.
 *
 * Memory: 2^n places for fewer than 3/4 of 2^n fingerprints: 256 MiB for ten million. Half as much more while it grows.
 * Errors: of n different things two have the same fingerprint with probability below n^2 / 2^129, if fingerprints are
 * as good as drawn at random: one of them is then taken for met before. Ten million: 1.5e-25. A full set takes every
 * new one for new each time: it counts too many and misses nothing. Source: the union bound over all pairs; linear
 * probing: [TAOCP98].
 */
#ifndef VTB_HASH_SET_H
#define VTB_HASH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/hash.h"

#define VTB_HASH_SET_LIMIT (1u << 25) /* places: 512 MiB, 25 million fingerprints */

struct vtb_hash_set {
	struct vtb_hash128 *keys; /* both 0: free */
	size_t room, used;
	size_t limit; /* places; 0: VTB_HASH_SET_LIMIT; a power of two */
	uint64_t not_kept;
};

/** An empty one for at most `memory` bytes; `= {0}` is one with the usual limit. */
void vtb_hash_set_init(struct vtb_hash_set *s, size_t memory);
void vtb_hash_set_fini(struct vtb_hash_set *s);
/** Add; *ret_new: it was not there. 0 or -ENOMEM. O(1). */
int vtb_hash_set_add(struct vtb_hash_set *s, struct vtb_hash128 key, bool *ret_new);
/** At most this probable that two of those in it were taken for one. */
double vtb_hash_set_merged(const struct vtb_hash_set *s);

#endif /* VTB_HASH_SET_H */
