/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pct and pctvb have in common: random priority orders with entries for the fragments of change points. */
#ifndef VTB_PCT_DRAW_H
#define VTB_PCT_DRAW_H

#include "vtb/strategy.h"

/** n threads in random order, below them `changes` fragments in random order: the i-th change point to be reached need not have
 *  the i-th priority. 0 or -ENOMEM. */
int vtb_pct_ranks(uint64_t *rng, uint32_t n, uint32_t changes, struct vtb_schedule *s);
/** Demotions in the order of threads and operations, as the runner expects them. */
void vtb_pct_sort(struct vtb_schedule *s);
/** Change points of a search within c deviations. */
uint32_t vtb_pct_changes(const struct vtb_search_opts *opts);

#endif /* VTB_PCT_DRAW_H */
