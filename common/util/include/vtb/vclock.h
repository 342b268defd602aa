/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file vclock.h
 * Vector clocks: for each thread, how many of its events are known to have happened.
 *
 * Shape:     slot (0 .. VTB_THREADS_MAX-1, see vtb/ids.h) -> event count (0 .. 2^64-1).
 *            A slot never ticked reads as 0, so {1} and {1,0} are EQUAL.
 * Ownership: a clock owns its array. Never assign structs; start from {0} and join.
 * Errors:    0, or -ENOMEM / -E2BIG. On error the clock is unchanged.
 * Threads:   no locking; the caller serialises.
 */
#ifndef VTB_VCLOCK_H
#define VTB_VCLOCK_H

#include <stdint.h>

#define VTB_THREADS_MAX 65536u

/** A vector clock. `= {0}` is a valid empty clock; release with vtb_vclock_fini(). */
struct vtb_vclock {
	uint64_t *count; /* count[slot], `len` entries, owned */
	uint32_t len;    /* slots stored, <= VTB_THREADS_MAX; later slots are 0 */
};

enum vtb_order { VTB_BEFORE, VTB_AFTER, VTB_EQUAL, VTB_CONCURRENT };

/** Free the array and leave an empty clock. */
void vtb_vclock_fini(struct vtb_vclock *vc);

/** Events of `slot` known to `vc`; any slot value is allowed. */
uint64_t vtb_vclock_get(const struct vtb_vclock *vc, uint32_t slot);

/** Count one more event of `slot`. -E2BIG if slot >= VTB_THREADS_MAX. */
int vtb_vclock_tick(struct vtb_vclock *vc, uint32_t slot);

/** Learn all that `other` knows: pointwise maximum. O(other->len). */
int vtb_vclock_join(struct vtb_vclock *vc, const struct vtb_vclock *other);

/** How `a` relates to `b`: VTB_BEFORE means a happened before b. O(max len). */
enum vtb_order vtb_vclock_compare(const struct vtb_vclock *a, const struct vtb_vclock *b);

#endif /* VTB_VCLOCK_H */
