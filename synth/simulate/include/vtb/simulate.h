/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file simulate.h
 * A runner over a recorded trace: each thread is the straight line of its recorded visible operations, synchronisation
 * has its real meaning. What another order would make the program do differently is not known here, so:
 *
 *   - a lock that was taken by a trylock may be held now: then it fails, and its unlock does nothing;
 *   - a wait whose signal now comes first waits for ever, though the program might have seen its condition fulfilled.
 *
 * Outcomes are therefore hints, orders are exact up to the first operation whose result differs from the recording.
 *
 * Ownership: borrows the trace, whose table (grown by signatures of deadlocks) is the runner's; the trace must outlive
 * it. Errors:    -ENOMEM; -VTB_E_LIMIT: more than VTB_THREADS_LIMIT threads.
 */
#ifndef VTB_SIMULATE_H
#define VTB_SIMULATE_H

#include "vtb/runner.h"
#include "vtb/trace.h"

/** O(events). Memory: 32 bytes an event on top of the trace. */
int vtb_simulate_new(struct vtb_trace *trace, struct vtb_runner **ret, struct vtb_error *err);

#endif /* VTB_SIMULATE_H */
