/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * location.h: where an event takes place, as byte ranges in one space and as an object.
 * Exact addresses stand for themselves. A symbolic one (object and offset) becomes exact if the trace tells where the
 * object lies (an access that covers a whole leaf gives that away); else it gets a range in the upper half of the
 * space, which meets only other symbolic accesses to the same object. Unknown addresses have no location: nothing is
 * guessed.
 */
#ifndef VTB_HBGRAPH_LOCATION_H
#define VTB_HBGRAPH_LOCATION_H

#include "vtb/trace.h"

struct location {
	uint64_t addr;
	uint64_t size;
};

/* Where objects lie. `= {0}` knows nothing and is valid. */
struct places {
	uint64_t *base; /* by object id; 0 unknown */
	size_t n;
};

/* Learn the objects' addresses from a whole trace. 0 or -ENOMEM. */
int places_learn(struct places *places, const struct vtb_trace *trace);
void places_fini(struct places *places);

/* Is the event an access to memory, or an operation on a sync object that has an address? Then fill *ret. `places` and
 * `tab` may be NULL. */
bool location_of(const struct vtb_event *e, const struct vtb_event_info *info, const struct vtb_symtab *tab,
                 const struct places *places, struct location *ret);

static inline bool is_data(const struct vtb_event_info *info)
{
	return info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC;
}

/* Families whose objects live in the program's memory, so that freeing or overwriting it matters to them. */
static inline bool is_sync_in_memory(const struct vtb_event_info *info)
{
	return info->family >= VTB_FAMILY_MUTEX && info->family <= VTB_FAMILY_FUTEX;
}

#endif /* VTB_HBGRAPH_LOCATION_H */
