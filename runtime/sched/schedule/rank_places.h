/* SPDX-License-Identifier: BSD-2-Clause */
/** @file rank_places.h The enabled threads in the order of their ranks, kept only where a schedule asks for the best.
 */
#ifndef VTB_RT_RANK_PLACES_H
#define VTB_RT_RANK_PLACES_H

#include "scheduler.h"

extern bool vtb_places_kept;

/** A schedule begins; nobody has a place. So many entries in its list of ranks, so many demotions. */
void vtb_places_begin(uint64_t listed, uint64_t demotions);
/** This place is t's, NULL: nobody's. O(1). */
void vtb_places_change(uint64_t place, struct vtb_rt_thread *t);
/** The thread at the first place that is taken; there is one. O(1). */
struct vtb_rt_thread *vtb_places_best(void);

#endif /* VTB_RT_RANK_PLACES_H */
