/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file sure_steps.h
 * Operations that nobody else's can meet before they are done: at such a point only their thread need go on
 * (docs/algorithms.md, "Sure steps").
 *
 *     an access    to what does not race (racy.h)
 *     an unlock    of what nobody tries to lock; a signal, broadcast or wait under a lock under which all of them are
 *     a birth, a death, a join, where nobody asks without waiting whether that thread has ended
 *
 * Shape:     what runs have shown, of all of them together. A run is learnt whole; then vtb_sure_is() answers for its
 * events. When something turns out to be less sure than it was taken for, `grown` counts on: what was left out for it
 * is to be looked at again, from the beginning.
 * What main does while it is the only thread does not count. Ownership: owns its memory; {0} knows nothing.
 */
#ifndef VTB_SURE_STEPS_H
#define VTB_SURE_STEPS_H

#include "racy.h"
#include "vtb/exec.h"

#define VTB_SURE_LOCKS 64u /* that are told apart; others protect nothing */

struct vtb_sure_object {
	uint64_t locks; /* under which all have operated on it: bits */
	uint16_t thread;
	bool several; /* threads have */
};

struct vtb_sure_lock {
	uint64_t addr;
	uint32_t var;
};

struct vtb_sure_thread {
	uint64_t held, slept; /* locks: bits; those given back by a wait */
	uint32_t next;        /* while events are asked for, from the last to the first: its operation after, + 1 */
	uint8_t depth[VTB_SURE_LOCKS];
	bool reads_clock; /* behind its last operation */
};

struct vtb_sure_steps {
	uint64_t grown;
	bool off;    /* something depends on everything: nothing is sure */
	bool strict; /* it matters when a thread comes to an operation, or what time it is then */
	struct vtb_racy racy;
	struct vtb_map64 numbers; /* of objects, by variable */
	struct vtb_sure_object *objects;
	size_t n_objects, cap_objects;
	struct vtb_map64 odd; /* mutexes and threads that somebody asks about without waiting, or uses wrongly */
	struct vtb_sure_lock locks[VTB_SURE_LOCKS];
	uint32_t n_locks;
	/* of the run that was learnt last */
	struct vtb_sure_thread *threads;
	size_t n_threads, cap_threads;
	uint32_t others; /* threads besides main that have not been joined */
	bool *sure;      /* by event */
	size_t n_sure, cap_sure;
};

void vtb_sure_fini(struct vtb_sure_steps *s);
/** Take a run: what it shows of all, then which of its events are sure. 0 or -ENOMEM. O(events). */
int vtb_sure_learn(struct vtb_sure_steps *s, const struct vtb_exec *x);
/** Of the run learnt last: need nobody else go on at the point before event i? */
static inline bool vtb_sure_is(const struct vtb_sure_steps *s, size_t i)
{
	return i < s->n_sure && s->sure[i];
}

#endif /* VTB_SURE_STEPS_H */
