/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file lockorder.h
 * The lock-order graph, an edge from each lock held to each lock then asked for, and its cycles: deadlocks that need
 * only the right timing, also in a run that did not deadlock.
 *
 * Edges:      from blocking lock operations, done, begun (BLOCK) or never done (PENDING). A trylock asks for nothing,
 * but what it got is held. Asking again for a mutex one waits for oneself is an edge to itself. Cycles:     one edge
 * each, up to VTB_LOCK_CYCLE_MAX locks. A cycle is impossible, and says why, if every choice of witnesses fails in one
 * of these: the same thread twice; a lock that two of them hold all along (a gate); two readers of one lock that do not
 * keep each other out; an order by create or join. Source:     [GOODLOCK00]; guarded and thread-ordered cycles:
 * [GOODLOCK05].
 */
#ifndef VTB_LOCKORDER_H
#define VTB_LOCKORDER_H

#include "vtb/profile.h"
#include "vtb/trace.h"

#define VTB_LOCK_CYCLE_MAX 8u     /* locks */
#define VTB_LOCK_CYCLES_MAX 1000u /* cycles looked at; more set `truncated` */

/** Thread `thread` held `held` and asked for `wanted`. */
struct vtb_lock_edge {
	uint32_t held, wanted; /* variable ids */
	uint32_t thread;
	uint32_t held_site, wanted_site;
	size_t held_event, wanted_event; /* places in trace->events, the first time */
	bool held_read, wanted_read;     /* for reading only */
	bool blocked;                    /* at least once the thread had to wait, or waits still */
	struct vtb_idset gates;          /* other locks held exclusively then */
	uint64_t count;
};

enum vtb_cycle_state {
	VTB_CYCLE_POSSIBLE,
	VTB_CYCLE_SAME_THREAD, /* one thread takes these locks in both orders */
	VTB_CYCLE_GATE,        /* a further lock keeps the threads apart */
	VTB_CYCLE_READERS,     /* readers that do not exclude each other */
	VTB_CYCLE_ORDERED,     /* one is over before the other's thread is created, or after it was joined */
};

struct vtb_lock_cycle {
	size_t edges[VTB_LOCK_CYCLE_MAX]; /* edges[i].wanted == edges[i + 1].held */
	size_t n_edges;
	enum vtb_cycle_state state;
	uint32_t gate; /* VTB_CYCLE_GATE: the lock; else VTB_NONE */
};

struct vtb_lockorder {
	struct vtb_lock_edge *edges; /* by first time */
	size_t n_edges, cap_edges;
	struct vtb_lock_cycle *cycles; /* possible ones first, then by length and first time */
	size_t n_cycles, cap_cycles;
	bool truncated;
	struct sets *sets; /* private: owns the gates */
};

int vtb_lockorder_of(const struct vtb_trace *trace, struct vtb_lockorder *ret);
void vtb_lockorder_fini(struct vtb_lockorder *lo);

/** One sentence. */
const char *vtb_cycle_state_text(enum vtb_cycle_state state);

#endif /* VTB_LOCKORDER_H */
