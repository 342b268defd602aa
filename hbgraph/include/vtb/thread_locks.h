/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file thread_locks.h
 * Which locks a thread holds, as its events come by. Locks are variables: mutexes, spin locks and read-write locks.
 * What decides is VTB_EVF_ACQUIRES and VTB_EVF_RELEASES of the event (vtb_event_classify()): an attempt that failed
 * takes nothing, and a robust mutex whose owner has died is taken.
 *
 * A wait for a condition gives its mutex back, once, and has it again when it is over; whose deadline has passed does
 * not have it yet when it wakes, and takes it by an event of its own. As a thread does nothing in a wait, it is no gap
 * in what `since` says.
 */
#ifndef VTB_THREAD_LOCKS_H
#define VTB_THREAD_LOCKS_H

#include "vtb/trace.h"

#define VTB_HELD_LOCKS_MAX 16u /* further ones count as not held */

struct vtb_held_lock {
	uint32_t lock;
	uint32_t depth; /* times that it was taken and not given back: recursive ones */
	size_t since;   /* the event by which it was taken first; a wait for a condition since then does not count */
	bool shared;
};

/** { 0 }: none. A value: copy it, there is nothing to free. */
struct vtb_held_locks {
	struct vtb_held_lock of[VTB_HELD_LOCKS_MAX]; /* in the order in which they were taken */
	size_t n;
	struct vtb_held_lock waits; /* depth > 0: the mutex of a wait that is not over */
};

/** The thread does `e`, event number `at`. Locks that nobody can name are left out. O(locks held). */
void vtb_held_locks_step(struct vtb_held_locks *h, const struct vtb_event *e, size_t at);

/** That lock, or NULL if it is not held. */
const struct vtb_held_lock *vtb_held_lock(const struct vtb_held_locks *h, uint32_t lock);

/** Keep what `other` has, too; `same_time`: since the same event. */
void vtb_held_locks_meet(struct vtb_held_locks *h, const struct vtb_held_locks *other, bool same_time);

#endif /* VTB_THREAD_LOCKS_H */
