/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file object_locks.h Which lock an object has in common wherever several threads may come to it. */
#ifndef VTB_OBJECT_LOCKS_H
#define VTB_OBJECT_LOCKS_H

#include "vtb/exec.h"
#include "vtb/thread_locks.h"

/** An object that threads touch. */
struct guarded {
	uint32_t thread;             /* the first that touches it */
	bool shared;                 /* another does */
	bool seen;                   /* while there are several threads */
	struct vtb_held_locks locks; /* held at each such access; `since` says nothing */
};

/** Objects of memory and atomic operations, by variable. */
struct guards {
	struct guarded *of;
	size_t n;
};

/** 0 or -ENOMEM. O(events * locks held). */
int guards_of_run(const struct vtb_exec *x, struct guards *ret);
void guards_fini(struct guards *g);

/** Keep of what is held at an access to `var` the locks that all its accesses have. */
void guards_meet(const struct guards *g, uint32_t var, struct vtb_held_locks *h);

/** Does more than one thread touch it? */
bool guards_shared(const struct guards *g, uint32_t var);

#endif /* VTB_OBJECT_LOCKS_H */
