/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file classify.h
 * The parts of story.h that find patterns. Indexes are those of the run's events; NONE means there is no such event.
 */
#ifndef VTB_CLASSIFY_H
#define VTB_CLASSIFY_H

#include "vtb/story.h"
#include "vtb/exec_waits.h"

/** Three operations: `first` and `second` of one thread, `intruder` of another; for an order, `second` is NONE and
 * first came before intruder. */
struct vtb_triple {
	enum vtb_pattern pattern;
	size_t first, intruder, second;
	int64_t pending; /* of an order: place in x->pending of the operation that should have come before `first`; else
	                    -1 */
};

/** Index of the event that is the failure: FAIL if there is one, else the last event of the thread that failed. NONE if
 * the run is empty. */
size_t vtb_classify_failure(const struct vtb_exec *x);

/** Must event `a` come before `b` however threads are scheduled, because of creation, join and barriers alone? O(b).
 */
bool vtb_classify_forced(const struct vtb_exec *x, const struct vtb_symtab *tab, size_t a, size_t b);

/** The thread that this THREAD_CREATE or THREAD_JOIN is about, or VTB_NONE. */
uint32_t vtb_classify_other(const struct vtb_exec *x, const struct vtb_symtab *tab, size_t at);

/** The most telling unserialisable pattern around a stretch of other threads. False if there is none. */
bool vtb_classify_atomicity(const struct vtb_exec *x, const struct vtb_symtab *tab, struct vtb_triple *ret);

/** Two conflicting operations that stand in the order which makes the run fail. False if there is no unforced conflict.
 */
bool vtb_classify_order(const struct vtb_exec *x, const struct vtb_symtab *tab, struct vtb_triple *ret);

/** The event by which somebody holds the object that was misused, or NONE. The failure's address and the lock's
 * operations may have come to two names of one place, so it is found by the place's name. */
size_t vtb_classify_misused(const struct vtb_exec *x, const struct vtb_symtab *tab);

/** The circle of threads that wait for each other; returns how many edges are stored, 0 if there is none. */
size_t vtb_classify_cycle(const struct vtb_exec *x, const struct vtb_symtab *tab, struct vtb_cycle_edge *edges,
                          size_t max);

/** Does a thread wait for a lock whose holder has ended? ABANDONED: first is where it was taken, intruder the holder's
 * end, pending who waits. */
bool vtb_classify_abandoned(const struct vtb_exec *x, struct vtb_triple *ret);

/** Why a thread that waits on a condition was not woken: LOST_WAKEUP, TOO_FEW_WOKEN or STUCK; the wait and the signal
 * concerned in first and intruder. */
bool vtb_classify_wakeup(const struct vtb_exec *x, struct vtb_triple *ret);

/** Of a wait that comes after the signal for it: the last thing that the waiter tested under its mutex before, and that
 * the thread of the signal changed in between, so without that mutex. False: there is none. */
bool vtb_classify_overtaken(const struct vtb_exec *x, size_t wait, size_t signal, size_t *ret_test, size_t *ret_change);

/** Does a thread wait for a signal whose handler came between its test of something and the wait? LOST_SIGNAL: first
 * is the test, intruder what the handler changed, pending who waits. */
bool vtb_classify_missed_signal(const struct vtb_exec *x, const struct vtb_symtab *tab, struct vtb_triple *ret);

static inline bool vtb_classify_is_data(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return info && (info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC ||
	                info->family == VTB_FAMILY_HEAP);
}

static inline bool vtb_classify_writes(const struct vtb_event *e)
{
	return vtb_event_is(e, VTB_EV_WRITES);
}

#endif /* VTB_CLASSIFY_H */
