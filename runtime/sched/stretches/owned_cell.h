/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file owned_cell.h
 * What one cell (owned.h) says of an access to it, and becomes by it.
 */
#ifndef VTB_RT_OWNED_CELL_H
#define VTB_RT_OWNED_CELL_H

#include "owned.h"

#define VTB_OWNED_ALL 255u /* the bits of all bytes of a cell */

struct vtb_owned_access {
	const struct vtb_rt_thread *t;
	bool writes;
	uint32_t site;  /* vtb_owned_site(), 0: it is told */
	uint32_t bytes; /* of the 8 that it touches, a bit each */
};

/** vtb_order_first() */
extern uint32_t vtb_owned_first VTB_RUN;
/** Are there cells of single bytes? */
extern bool vtb_owned_has_bytes;

/** The upper half of a cell that was touched in this interval. */
static inline uint32_t vtb_owned_tag(uint32_t interval)
{
	return interval << VTB_OWNED_SHIFT;
}

/** Is the cell VTB_OWNED_SHARED, _SPLIT or _READERS? */
static inline bool vtb_owned_cell_is(uint64_t cell, uint32_t state)
{
	return cell >> 32 == vtb_owned_tag(vtb_owned_first + state);
}

/** Has nobody touched it in this epoch? */
static inline bool vtb_owned_cell_is_fresh(uint64_t cell)
{
	return cell >> (32 + VTB_OWNED_SHIFT) < vtb_owned_first;
}

/** The access takes place. O(1). */
void vtb_owned_touch_cell(uint64_t *cell, struct vtb_owned_others *others, const struct vtb_owned_access *a);
/** It is another one's, too, which was as the other word says: the cell is shared. */
void vtb_owned_collide(uint64_t *cell, uint64_t other);

#endif /* VTB_RT_OWNED_CELL_H */
