/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file object_locks.h Which locks a thread holds, and since when, as its operations come by; and which lock an object
 * has in common wherever several threads may come to it. */
#ifndef VTB_OBJECT_LOCKS_H
#define VTB_OBJECT_LOCKS_H

#include "vtb/exec.h"
#include "vtb/map64.h"

#define HELD_LOCKS_MAX 8u /* further ones are not counted as held */

struct held_lock {
	uint32_t lock; /* its variable */
	size_t since;  /* the event by which it was taken */
};

struct held_locks {
	struct held_lock of[HELD_LOCKS_MAX];
	size_t n;
};

/** The thread does `e`, event number `at`. A wait for a condition counts as if its mutex stayed taken: the thread does
 * nothing without it. */
void held_locks_step(struct held_locks *h, const struct vtb_event *e, size_t at);

/** Keep what `other` has as well, taken at the same time. */
void held_locks_meet(struct held_locks *h, const struct held_locks *other);

/** An object that threads touch. */
struct guarded {
	uint32_t thread;         /* the first that touches it */
	bool shared;             /* another does */
	bool seen;               /* while there are several threads */
	struct held_locks locks; /* held at each such access; `since` says nothing */
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
void guards_meet(const struct guards *g, uint32_t var, struct held_locks *h);

/** Does more than one thread touch it? */
bool guards_shared(const struct guards *g, uint32_t var);

#endif /* VTB_OBJECT_LOCKS_H */
