/* SPDX-License-Identifier: BSD-2-Clause */
/** @file walk_choice.h Policies pos and surw: who goes on. The walks themselves: vtb/walk.h. Part of scheduler.h. */
#ifndef VTB_RT_WALK_CHOICE_H
#define VTB_RT_WALK_CHOICE_H

struct vtb_rt_thread;

/** A run begins. */
void vtb_walk_begin(void);
/** One of the enabled threads, t having done or begun something since the last choice; NULL if there is none.
 * O(threads), but of each little is looked at. */
struct vtb_rt_thread *vtb_walk_choose(const struct vtb_rt_thread *t);
/** Where t has come to nobody chooses: somebody else says who goes on. With other policies, too. */
void vtb_walk_look_at(const struct vtb_rt_thread *t);
/** Threads are where they were not, although they have done nothing. */
void vtb_walk_look_at_all(void);

#endif /* VTB_RT_WALK_CHOICE_H */
