/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file class_set.h
 * A set of classes by 64 bits of their fingerprints: open addressing, 8 bytes a place, at most 3/4 full, bounded.
 *
 * Memory: 2^n places for fewer than 3/4 of 2^n classes: 128 MiB for ten million. Twice 3/4 of that while it grows.
 * Errors: two of n classes are taken for one with probability below n^2 / 2^65; a full set takes every new class for new
 *         each time.
 */
#ifndef VTB_CLASS_SET_H
#define VTB_CLASS_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VTB_CLASSES_LIMIT (1u << 25) /* places: 256 MiB */

struct vtb_class_set {
	uint64_t *keys; /* 0 free */
	size_t room, used;
	size_t limit;   /* places; 0: VTB_CLASSES_LIMIT; a power of two */
	uint64_t not_kept;
};

void vtb_class_set_fini(struct vtb_class_set *s);
/** Add; *ret_new: it was not there. 0 or -ENOMEM. */
int vtb_class_set_add(struct vtb_class_set *s, uint64_t class_id, bool *ret_new);
/** At most this probable that two of the classes were taken for one. */
double vtb_class_set_merged(const struct vtb_class_set *s);

#endif /* VTB_CLASS_SET_H */
