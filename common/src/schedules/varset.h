/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file varset.h
 * Counts distinct variable ids, VTB_NONE being one like any other. Up to 128 need no memory; beyond that a map is
 * needed, and if that fails the count becomes an upper bound, so that a tuple can be had without an error path.
 */
#ifndef VTB_VARSET_H
#define VTB_VARSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/map64.h"

#define VTB_VARSET_INLINE 128u
/* All deadlines wait for one clock. No variable has this id, as VTB_VARIABLES_LIMIT is smaller. */
#define VTB_VARSET_CLOCK (UINT32_MAX - 1)

struct vtb_varset {
	uint32_t first[VTB_VARSET_INLINE]; /* those that came first */
	struct vtb_map64 others;
	uint32_t count;
};

void vtb_varset_add(struct vtb_varset *set, uint32_t var);
void vtb_varset_fini(struct vtb_varset *set);

static inline uint32_t vtb_varset_count(const struct vtb_varset *set)
{
	return set->count;
}

#endif /* VTB_VARSET_H */
