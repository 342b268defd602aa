/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file lockset.h
 * Is shared data always accessed under a common lock? And who would wait for whom, had the locks been taken in another
 * order?
 *
 * Discipline: two accesses of different threads to common bytes, one a write, neither before the other by creation and
 *             join, must be made under a common mutex. Atomic operations need none.
 * Chain:      a thread that takes or waits for lock l holds others; l's owner, or who gave l back last and still holds
 * a lock outside it, may have released an inner lock that ... and so on, back to the first thread: then there is an
 * order in which all of them wait. Source: reverse lock chains of [EXITBLOCK99]. Ownership:  scratch memory, kept from
 * run to run; what was found stays. Source:     [ERASER97]; creation and join are taken into account here.
 */
#ifndef VTB_LOCKSET_H
#define VTB_LOCKSET_H

#include "vtb/exec.h"

#define VTB_LOCKSET_LOCKS 64u /* of a run; what is held beyond counts as not held */

struct vtb_lockset_thread {
	uint64_t held;
	uint32_t *clock; /* creation and join only; one counter a thread */
	struct {
		uint32_t lock;
		uint32_t op;
		uint64_t outer;
	} released; /* the inner lock given back last: where it was taken, what was held then */
	uint32_t taken_at[VTB_LOCKSET_LOCKS]; /* operations the thread had done before it took the lock */
};

struct vtb_lockset_access {
	uint64_t addr;
	uint32_t size;
	uint16_t thread;
	bool write;
	uint64_t held;
	uint32_t time;
	uint32_t next; /* of the same bucket, or VTB_NONE */
};

/** A circle of locks that a run has shown without getting stuck. */
struct vtb_lock_cycle {
	uint32_t thread, op; /* that would have to stop after its `op`-th operation, before it takes the inner lock */
	uint32_t other, other_lock; /* who must go on then, and the lock that it wants */
};

struct vtb_lockset {
	struct vtb_lockset_thread *threads;
	size_t n_threads, cap_threads;
	uint32_t *locks; /* variable ids */
	size_t n_locks, cap_locks;
	struct vtb_lockset_access *accesses;
	size_t n_accesses, cap_accesses;
	uint32_t buckets[1024];
	uint32_t *done; /* operations by thread */
	size_t n_done, cap_done;
	bool broken;                   /* some access breaks the discipline */
	struct vtb_event second;       /* the first access that breaks it */
	struct vtb_lock_cycle *cycles; /* of the last run */
	size_t n_cycles, cap_cycles;
};

/** Look at a run. 0 or -ENOMEM. O(events * threads). */
int vtb_lockset_read(struct vtb_lockset *s, const struct vtb_exec *x);
void vtb_lockset_fini(struct vtb_lockset *s);

#endif /* VTB_LOCKSET_H */
