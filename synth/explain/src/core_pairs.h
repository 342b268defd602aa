/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file core_pairs.h Which operations of a run conflict, so that something may depend on which of the two comes first.
 */
#ifndef VTB_CORE_PAIRS_H
#define VTB_CORE_PAIRS_H

#include "core_runs.h"
#include "vtb/syncorder.h"

/** An operation that touches memory, or an object. */
struct core_touch {
	const struct vtb_event *event;
	uint32_t op;
	size_t at;    /* in the run; of what had not been done: of the thread's last event, or VTB_EVENT_NONE */
	bool pending; /* it had not been done */
};

/** Remember that the two operations conflict. 0 or -ENOMEM. */
int core_pairs_add(struct core_runs *runs, uint32_t a, uint32_t b);

/** Remember all pairs among the touches of a run, of which `order` says what creation and joins force. Sorts the
 * touches. Ends early, with 0, when there are more than anybody can read. 0 or -ENOMEM. O(n log n + pairs). */
int core_pairs_find(struct core_runs *runs, const struct vtb_orderindex *order, struct core_touch *touches, size_t n);

#endif /* VTB_CORE_PAIRS_H */
