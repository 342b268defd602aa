/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pct, pctvb and pcttb have in common: a random priority order with entries for the fragments of change points. */
#ifndef VTB_PCT_DRAW_H
#define VTB_PCT_DRAW_H

#include "chance_draw.h"

/** After so many operations of a thread; 0: before it begins. */
struct vtb_pct_point {
	uint32_t thread, index;
};

/** With which priority a thread goes on after its change point. */
enum vtb_pct_order {
	VTB_PCT_BELOW, /* below all threads that have not met theirs */
	VTB_PCT_AMONG, /* anywhere: one random order of threads and fragments */
};

/** The plan of one schedule: n threads and `changes` (at most 32) fragments in random order (the i-th change point to
 * be reached need not have the i-th priority), begun at the points that `draw` gives. 0 or -ENOMEM. */
int vtb_pct_plan(uint64_t *rng, uint32_t n, uint32_t changes, enum vtb_pct_order order,
                 struct vtb_pct_point (*draw)(void *state), void *state, struct vtb_plan *plan);
/** The first run, which shows what there is to draw from: the default order. 1 or -ENOMEM. */
int64_t vtb_pct_first(struct vtb_chance_draw *d, struct vtb_plan *plan);
/** Change points of a search within c deviations. */
uint32_t vtb_pct_changes(const struct vtb_search_opts *opts);

#endif /* VTB_PCT_DRAW_H */
