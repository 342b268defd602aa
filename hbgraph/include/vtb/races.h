/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file races.h
 * Unordered conflicting pairs: two accesses by different threads that share a byte, at least one a write, not both
 * atomic, and neither before the other in the sync order (vtb/syncorder.h). Freeing a block counts as a write to all of
 * it, an operation on a lock as an atomic access to its first byte: so "unlocked after it was freed" is a race too.
 *
 * Grouped by (variable, site, site): every such triple that occurs is found, not only the first of a variable. `count`
 * is how many accesses met an unordered access of the other site.
 *
 * Order:      a race does not depend on which access came first. With VTB_ORDER_TOTAL the example's events[0] did; with
 *             VTB_ORDER_SYNC nobody knows.
 * Unknown:    accesses without an address take no part and are counted. Memory that was allocated anew in between, and
 *             overlapping accesses to variables of different known objects, are two lives of one address: no race.
 * Complexity: O(1) for an access in the sync order's own chain, else O(threads * sites of that address).
 * Memory:     per address and (thread, site) that touched it 32 bytes; none per event.
 * Source:     [FASTTRACK09] for the short-cut.
 */
#ifndef VTB_RACES_H
#define VTB_RACES_H

#include "vtb/trace.h"

struct vtb_race {
	uint32_t var;      /* or VTB_NONE */
	uint32_t sites[2]; /* of the example's events; pairs of sites are grouped whatever came first */
	uint64_t count;
	size_t events[2]; /* an example: places in trace->events, in the trace's order */
};

struct vtb_races {
	struct vtb_race *races; /* by variable name, then place in the trace of the example */
	size_t n_races, cap_races;
	uint64_t unknown; /* accesses left out because their address is unknown */
	uint64_t
	    lost; /* events missing from the trace: some orders may be missing too, so a pair may in truth be ordered */
	enum vtb_trace_order order;
};

int vtb_races_of(const struct vtb_trace *trace, struct vtb_races *ret);
void vtb_races_fini(struct vtb_races *races);

#endif /* VTB_RACES_H */
