/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file point.h
 * What all points have in common: whom the policy chooses among those that can go on, and how the turn passes. Whoever
 * stands at a point calls these: an operation (scheduler.c), a plain access (access.c). O(1), pos and surw O(threads).
 */
#ifndef VTB_RT_POINT_H
#define VTB_RT_POINT_H

#include "remainder.h"
#include "scheduler.h"

static inline uint64_t vtb_point_random(void)
{
	uint64_t z = vtb_sched.random += 0x9e3779b97f4a7c15ull; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/** Likewise by one that is not random (scheduler.c). */
__attribute__((noinline)) struct vtb_rt_thread *vtb_point_by_other_policy(struct vtb_rt_thread *t);

/** Whom the policy chooses at the point of t, which stands at its call or has ended. Some are enabled. */
static inline struct vtb_rt_thread *vtb_point_by_policy(struct vtb_rt_thread *t)
{
	return VTB_LIKELY(vtb_sched.schedule->policy == VTB_POLICY_RANDOM)
	           ? vtb_ready_nth(vtb_remainder(vtb_point_random(), vtb_ready_count()))
	           : vtb_point_by_other_policy(t);
}

/** `next` goes on; returns when it is t's turn again. */
static inline void vtb_point_hand_over(struct vtb_rt_thread *t, struct vtb_rt_thread *next)
{
	vtb_ready_leave_turn(t);
	vtb_sched.running = next;
	vtb_carrier->hand_over(t, next);
	vtb_ready_take_turn(t);
}

#endif /* VTB_RT_POINT_H */
