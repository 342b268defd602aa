/* SPDX-License-Identifier: GPL-2.0-or-later */
/* held.h: which locks each thread holds, followed through a trace, however many; with sets of
 * them. Locks are variable ids; unnamed ones are left out. */
#ifndef VTB_HBGRAPH_HELD_H
#define VTB_HBGRAPH_HELD_H

#include "sets.h"
#include "vtb/trace.h"

struct held_lock {
	uint32_t var;
	uint32_t depth; /* recursive mutexes */
	bool read;      /* held for reading */
	size_t event;   /* that took it */
};

struct held_thread {
	struct held_lock *locks; /* in the order in which they were taken */
	size_t n_locks, cap_locks;
	uint32_t all;       /* set of all locks held */
	uint32_t exclusive; /* set of those not merely held for reading */
};

/* Sets are those of `sets`, borrowed. */
struct held {
	struct sets *sets;
	struct held_thread *threads;
	size_t n_threads, cap_threads;
};

/* Event number `i` of the trace. 0 or -ENOMEM. */
int held_feed(struct held *h, const struct vtb_event *e, size_t i);
void held_fini(struct held *h);

/* The thread's locks; an empty set of them if it has none. */
const struct held_thread *held_by(const struct held *h, uint32_t thread);

#endif /* VTB_HBGRAPH_HELD_H */
