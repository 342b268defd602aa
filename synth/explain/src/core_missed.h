/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file core_missed.h
 * How a thread missed its signal: it tests, under a mutex, what it waits for, and waits; in between somebody else
 * changes what it has tested, and signals.
 *
 *      lock m | test ....... wait     the orders: test before change, signal before wait
 *                  change, signal
 */
#ifndef VTB_CORE_MISSED_H
#define VTB_CORE_MISSED_H

#include "core_runs.h"

/** Operations of struct core_runs, a bit each; owned. */
struct core_missed {
	uint64_t *tests, *waits; /* of the last wait of each thread that waits for a condition when the run is over */
};

/** Of a run whose verdict is a lost wake-up, and in which something changed behind a test; of others both are empty,
 * also where what was tested had been changed already, and somebody undid it. 0 or -ENOMEM. O(events + operations +
 * pairs). */
int core_missed_of(const struct core_runs *runs, const struct core_run *run, struct core_missed *ret);
void core_missed_fini(struct core_missed *missed);
/** Is the order a test before a change, or a signal before a wait? O(1). */
bool core_missed_by(const struct core_missed *missed, const struct core_runs *runs, uint32_t before, uint32_t after);

#endif /* VTB_CORE_MISSED_H */
