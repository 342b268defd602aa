/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file progress.h
 * Fairness by progress (progress.c): a thread that has come round to the very state it was in, alone and without a net
 * change, waits until something that it touched on the way changes.
 *
 * Shape:   two anchors a thread. An anchor is an operation that the thread has arrived at; it is compared with every
 * arrival at the same instruction, and moved on when it finds nothing for twice as many operations as before (Brent's
 * cycle detection).
 */
#ifndef VTB_RT_PROGRESS_H
#define VTB_RT_PROGRESS_H

#include "base.h"

#define VTB_ROUND_WORDS 96u /* words of memory that one time round may touch */

struct vtb_round_word {
	uint64_t addr, value;
	uint64_t size_log2;
};

#define VTB_ANCHOR_AFTER_CHANGE \
	16u /* operations after a change before the first anchor is set: most changes come soon again */

/** What was seen since an anchor: made when it is first wanted. */
struct vtb_round {
	uint32_t n;
	struct vtb_round_word words[VTB_ROUND_WORDS];
};

/** The calling thread t arrives at `call`: has it been here, like this? If so it is held back. After
 * vtb_stance_arrive(), if it looks (below). */
void vtb_progress_arrive(struct vtb_rt_thread *t, const struct vtb_call *call);
/** Is the anchor's operation met again? The same instruction at another place is part of a computation. */
static inline bool vtb_progress_is_at(const struct vtb_anchor *a, const struct vtb_call *call)
{
	return call->pc == a->pc && call->obj == a->obj;
}
/** Does vtb_progress_arrive() look at t's state? */
static inline bool vtb_progress_looks(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return vtb_progress_is_at(&t->sched.anchors[0], call) || vtb_progress_is_at(&t->sched.anchors[1], call);
}
/** Is there anything for vtb_progress_arrive() to do? O(1). */
static inline bool vtb_progress_wants(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	struct vtb_anchor *a = t->sched.anchors;

	a[0].steps++;
	a[1].steps++;
	return vtb_progress_is_at(&a[0], call) || vtb_progress_is_at(&a[1], call) || a[0].steps > a[0].limit ||
	       a[1].steps > a[1].limit || a[0].tracks || a[1].tracks;
}
/** t has done `call`. */
void vtb_progress_done(struct vtb_rt_thread *t, const struct vtb_call *call);
/** t, which was held back, goes on. */
void vtb_progress_goes_on(struct vtb_rt_thread *t);
/** t has changed something. */
static inline void vtb_progress_changed(struct vtb_rt_thread *t)
{
	t->sched.anchors[0] =
	    (struct vtb_anchor){ .limit = VTB_ANCHOR_AFTER_CHANGE, .round = t->sched.anchors[0].round };
}
/** t has made accesses that nobody looked at. */
void vtb_progress_unseen(struct vtb_rt_thread *t, uint64_t n);
/** t has asked for what is no part of its state: a clock, the kernel, chance. */
static inline void vtb_progress_outside(struct vtb_rt_thread *t)
{
	t->sched.anchors[0].lost = t->sched.anchors[1].lost = true;
}
/** Is all that t has touched as it was? It is held back as one that makes no progress. */
bool vtb_progress_waits(const struct vtb_rt_thread *t);
/** Fingerprint of the state and of what it waits for. */
uint64_t vtb_progress_print(const struct vtb_rt_thread *t);
/** t's operation leaves memory as it is. */
bool vtb_progress_leaves(const struct vtb_call *call);

#endif /* VTB_RT_PROGRESS_H */
