/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file syncorder.h
 * The sync order (docs/algorithms.md, "Orders and classes"): which events must happen before which, whatever the
 * scheduler does with everything else. Program order, and an edge from each release to the later acquires that it
 * feeds:
 *
 *   thread        create -> begin, end -> join
 *   mutex         unlock -> later lock; cond-wait unlocks and cond-wake locks the mutex named in `aux`
 *   rwlock        write unlock -> later lock of either kind; read unlock -> later write lock only
 *   cond          signal, broadcast (that woke somebody) -> later wake that was not a timeout
 *   semaphore     post -> later wait
 *   barrier       arrival -> leaving of the same round
 *   once          end -> later begin, or acquiring load of a static's guard, that found it done;   futex: wake ->
 * woken;   signal: send -> handler atomics       C11: a load that reads from a release sequence and acquires; fences;
 * relaxed gives none. A sequence is headed by a release store or read-modify-write and goes on through
 * read-modify-writes and stores of the head's own thread (ISO/IEC 9899:2011, 5.1.2.4)
 *
 * Semaphores and conditions order with every earlier release, because the trace does not say which one was consumed.
 *
 * Source:     vector clocks: [FIDGE88], [MATTERN89]; the short-cut for an epoch already known: [FASTTRACK09].
 * Shape:      events are fed in trace order. Event number n (from 1) of thread s is before what thread t does next if
 *             knows(t, s) >= n. Events must have been classified (vtb_event_classify; readers do it).
 * Complexity: O(1) an event, O(threads) an acquire or release. Memory O(threads * (threads + objects)), none per event.
 * Ownership:  borrows the table of names (may be NULL: then threads are told apart by variable alone).
 */
#ifndef VTB_SYNCORDER_H
#define VTB_SYNCORDER_H

#include "vtb/trace.h"
#include "vtb/vclock.h"

struct vtb_syncorder;

enum {
	VTB_SYNCORDER_THREADS_ONLY = 1 << 0, /* only create/begin and end/join: orders that no schedule can change */
	VTB_SYNCORDER_STORES_END =
	    1 << 1, /* a store ends a release sequence of its own thread, too (C++20, [intro.races]) */
};

int vtb_syncorder_new(const struct vtb_symtab *tab, uint32_t flags, struct vtb_syncorder **ret);
void vtb_syncorder_free(struct vtb_syncorder *so);

/** The next event. 1 if its thread learned something from others, 0 if not, -ENOMEM. */
int vtb_syncorder_feed(struct vtb_syncorder *so, const struct vtb_event *e);

/** Events of `thread` so far: the number of its latest. */
uint32_t vtb_syncorder_count(const struct vtb_syncorder *so, uint32_t thread);
/** How many events of `other` happened before whatever `thread` does next. */
uint32_t vtb_syncorder_knows(const struct vtb_syncorder *so, uint32_t thread, uint32_t other);
/** The clock of `thread`: of others what it knows, of itself the events up to its latest release. */
const struct vtb_vclock *vtb_syncorder_clock(const struct vtb_syncorder *so, uint32_t thread);

/* ---- questions about pairs of events of a whole trace */

struct vtb_orderindex;

/** Memory: 4 bytes an event, plus 8 for each time that a thread learned of new events of another one (with few threads
 *  about once for each acquire; at worst threads - 1 times). */
int vtb_orderindex_new(const struct vtb_trace *trace, uint32_t flags, struct vtb_orderindex **ret);
void vtb_orderindex_free(struct vtb_orderindex *index);

/** How event a relates to event b (places in trace->events). O(log acquires). */
enum vtb_order vtb_orderindex_compare(const struct vtb_orderindex *index, size_t a, size_t b);

#endif /* VTB_SYNCORDER_H */
