/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file meetings.h
 * Barriers of a run, event by event: which arrivals belong to the meeting that a thread leaves.
 *
 *      arrivals   1 2 3 | 4 5 6 | ...       a meeting is over when the first of its threads leaves: until then nobody
 *      leaves          1 2   3 4            can have arrived for the next one
 *
 * Ownership: vtb_meetings_fini(). Without memory a barrier orders nothing.
 */
#ifndef VTB_MEETINGS_H
#define VTB_MEETINGS_H

#include "vtb/exec.h"
#include "vtb/map64.h"

#define VTB_MEETINGS_MAX 16u /* barriers; others order nothing */

struct vtb_meeting {
	uint32_t barrier;
	uint64_t arrived, from, to; /* arrivals so far; those of the last meeting: (from, to] */
	bool marked, next;          /* was one of its arrivals marked; one of those since */
};

struct vtb_meetings {
	struct vtb_meeting barriers[VTB_MEETINGS_MAX];
	uint32_t n_barriers;
	struct vtb_map64 arrivals; /* barrier and thread -> the number of its arrival */
};

void vtb_meetings_fini(struct vtb_meetings *m);
/** The next event, in order; `mark`: mark its arrival. True: it leaves a meeting of which an arrival was marked. O(1).
 */
bool vtb_meetings_feed(struct vtb_meetings *m, const struct vtb_event *e, bool mark);

#endif /* VTB_MEETINGS_H */
