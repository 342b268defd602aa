/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file progress.h
 * Fairness by progress (progress.c): a thread that has come round to the very state it was in, alone and without a net
 * change, waits until something that it touched on the way changes.
 *
 * Shape:   two anchors a thread, one for rounds that only read, as long as the thread reads what it knows, one for
 * others. An anchor is an operation that the thread has arrived at; it is compared with every arrival at the same
 * instruction, and moved on when it finds nothing for twice as many operations as before (Brent's cycle detection).
 */
#ifndef VTB_RT_PROGRESS_H
#define VTB_RT_PROGRESS_H

#include "base.h"

/** The calling thread t arrives at `call`: has it been here, like this? If so it is held back. After
 * vtb_stance_arrive(), if it looks (below). */
void vtb_progress_arrive(struct vtb_rt_thread *t, const struct vtb_call *call);
/** Is the anchor's operation met again? The same instruction at another place is part of a computation, and its write
 * behind its read no round. */
static inline bool vtb_progress_is_one(const struct vtb_anchor *a, unsigned kind, const void *obj, uint64_t pc)
{
	return pc == a->pc && obj == a->obj && kind == a->kind;
}
static inline bool vtb_progress_is_at(const struct vtb_anchor *a, const struct vtb_call *call)
{
	return vtb_progress_is_one(a, call->kind, call->obj, call->pc);
}
/** Does t read what it knows? */
static inline bool vtb_progress_reads(const struct vtb_rt_thread *t)
{
	return t->base.again > 0 || t->sched.reading.kept;
}
/** Has it gone through so many states while it read that it was taken for one that computes, and gives way now? */
static inline bool vtb_progress_pauses(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return t->sched.reading.pauses && (call->kind == VTB_E_YIELD || call->kind == VTB_E_SLEEP);
}
/** Does vtb_progress_arrive() look at t's state? */
static inline bool vtb_progress_looks(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const struct vtb_anchor *r = &t->sched.reading;

	return vtb_progress_is_at(&t->sched.writing, call) || vtb_progress_pauses(t, call) ||
	       (vtb_progress_reads(t) && (!r->tracks || vtb_progress_is_at(r, call) || r->steps > r->limit));
}
/** Is there anything for vtb_progress_arrive() to do? O(1). */
static inline bool vtb_progress_wants(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	struct vtb_anchor *r = &t->sched.reading, *w = &t->sched.writing;
	const bool reads = vtb_progress_reads(t);

	w->steps++;
	r->steps += reads;
	return w->tracks || vtb_progress_is_at(w, call) || w->steps > w->limit || vtb_progress_pauses(t, call) ||
	       (reads && (!r->tracks || vtb_progress_is_at(r, call) || r->steps > r->limit));
}
/** Is what t does noted? */
static inline bool vtb_progress_tracks(const struct vtb_rt_thread *t)
{
	return t->sched.reading.tracks | t->sched.writing.tracks;
}
/** t, which is left alone, has read what it knew so often that it is to be looked at: not yet, if most of what it did
 * was something else? */
bool vtb_progress_rests_on(struct vtb_rt_thread *t);
/** Is what its operations leave on t's stack cleared? Where it stands can be compared after a whole round of that. */
static inline bool vtb_progress_cleans(const struct vtb_rt_thread *t)
{
	return (t->base.again > 0) | t->sched.reading.clean | t->sched.writing.clean;
}
/** t has done `call`, after which its stack is cleared: if it reads what it knows its round may begin here. */
void vtb_progress_cleaned(struct vtb_rt_thread *t, const struct vtb_call *call);
/** t has read what it knew: it may be in a loop. */
static inline void vtb_progress_again(struct vtb_rt_thread *t)
{
	if (t->base.again || !t->sched.rests || !vtb_progress_rests_on(t))
		t->base.again++;
}
/** From now on t is looked at. */
static inline void vtb_progress_rests_no_more(struct vtb_rt_thread *t)
{
	t->base.again = 0;
	t->sched.rests = 0;
}
/** It has read something new, or changed something by a plain write. */
void vtb_progress_new(struct vtb_rt_thread *t, bool wrote);
/** It has changed size bytes at addr (0: read something new there). True: that is part of its own state, on its stack.
 */
bool vtb_progress_on_stack(struct vtb_rt_thread *t, uint64_t addr, uint64_t size);
/** t does `call`: does it look at what another one wrote on its stack, on rounds that this one did not go again? Then
 * what it would have seen is not known. */
void vtb_progress_look_at(const struct vtb_rt_thread *t, const struct vtb_call *call);
/** It has changed something otherwise. */
void vtb_progress_acted(struct vtb_rt_thread *t);
/** t has done `call`. */
void vtb_progress_done(struct vtb_rt_thread *t, const struct vtb_call *call);
/** t is in a stem, where nobody is waited for: it is not looked at for a while. */
void vtb_progress_leave_alone(struct vtb_rt_thread *t);
/** t, which was held back, goes on. */
void vtb_progress_goes_on(struct vtb_rt_thread *t);
/** t has changed something. */
void vtb_progress_changed(struct vtb_rt_thread *t);
/** t has made accesses that nobody looked at. */
void vtb_progress_unseen(struct vtb_rt_thread *t, uint64_t n);
/** t has asked for what is no part of its state: a clock, the kernel, chance. */
void vtb_progress_outside(struct vtb_rt_thread *t);
/** Is all that t has touched as it was? It is held back as one that makes no progress. */
bool vtb_progress_waits(const struct vtb_rt_thread *t);
/** Has it changed nothing on its way round, and looked at memory only? Then it does the same again. */
static inline bool vtb_progress_is_pure(const struct vtb_rt_thread *t)
{
	return t->sched.exact == &t->sched.reading && !t->sched.exact->anything;
}
/** Fingerprint of the state and of what it waits for. */
uint64_t vtb_progress_print(const struct vtb_rt_thread *t);

#endif /* VTB_RT_PROGRESS_H */
