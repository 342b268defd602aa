/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file stretch.h
 * Accesses at which nothing is decided (fast.h, stretch.c). Part of scheduler.h, which includes it.
 *
 * Stem:    before main makes its first thread a run with VTB_SCHED_STEM tells its accesses by their number. It ends
 *          with the first operation that something else can have to do with (vtb/events.h, vtb_event_in_stem()).
 *          Constraints, and operations described by their site, do not count what is left out.
 */
#ifndef VTB_RT_STRETCH_H
#define VTB_RT_STRETCH_H

#include "owned.h"

void vtb_stretch_try(struct vtb_rt_thread *t);
void vtb_stretch_finish(void);
/** An operation of the stem was done: does it go on? */
void vtb_stretch_in_stem(const struct vtb_call *call);

/** t has done `call`: if nothing can happen at its next points, as long as it makes plain accesses, begin a
 * stretch. */
static inline void vtb_stretch_begin(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	if (VTB_UNLIKELY(vtb_sched.stem))
		vtb_stretch_in_stem(call);
	if (VTB_UNLIKELY(vtb_sched.schedule->flags & VTB_SCHED_OWNED)) {
		vtb_owned_told(t, call);
		vtb_owned_arm(t);
		return;
	}
	/* among several threads, policy random decides at every point */
	if (VTB_LIKELY(vtb_sched.schedule->policy == VTB_POLICY_RANDOM && vtb_ready_n > 1 && !t->sched.spinning))
		return;
	vtb_stretch_try(t);
}

/** End the stretch, if there is one: before anything that accesses change is read or changed. */
static inline void vtb_stretch_end(void)
{
	if (VTB_UNLIKELY(vtb_sched.stretch != NULL))
		vtb_stretch_finish();
}

/** In its stretch t does an operation of the model on `object`, at which nobody stands and which is possible: done, at
 * a point like those of accesses. The caller changes the object. False: not so, nothing has been done. O(1). */
bool vtb_stretch_do(struct vtb_rt_thread *t, unsigned kind, const void *object);
static inline bool vtb_stretch_operation(struct vtb_rt_thread *t, unsigned kind, const void *object)
{
	return vtb_sched.stretch == t && t->base.stream.next < t->base.stream.limit && vtb_stretch_do(t, kind, object);
}
/** In its stretch, in the stem, t reads or writes several bytes from `addr` on: counted like an access. False: not so,
 * nothing has been done. O(1). */
bool vtb_stretch_range(struct vtb_rt_thread *t, unsigned kind, uint64_t addr);
/** Schedule points passed, those of the stretch included. From a signal handler, too. */
uint64_t vtb_stretch_points(void);

#endif /* VTB_RT_STRETCH_H */
