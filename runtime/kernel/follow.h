/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file follow.h
 * fork, and control that goes with a child (header.follow):
 *
 *     the program ── threads under the schedule ── FORK ──┬─ child: the forking thread, under the same schedule, in the
 * same events └─ parent: goes on by the default policy; its events go nowhere
 *
 * Of the two only one runs at a time. The child has the turn first; it gives it away when none of its threads can go on
 * and takes it back when none of the parent's can, or when the parent has ended. So what the two tell each other comes
 * at places that do not depend on time. The outcome is the child's. If no child is forked it is the program's, as ever.
 */
#ifndef VTB_RT_FOLLOW_H
#define VTB_RT_FOLLOW_H

#include "kernel.h"

/** Is the calling thread in libc's fork()? Only there can a process be made that we know of. */
bool vtb_follow_forks(void);
/** Nobody can go on here: let the other process run until nobody can there. Has it done anything? */
bool vtb_follow_other(void);
/** Nobody can go on, nor can time help. In the parent: if the child cannot either, it is for it to say so; returns when
 * it has gone on, or has ended. In the child false: it is a dead end for both. */
bool vtb_follow_dead_end(void);
/** Has a process been forked in this run that is not controlled? */
bool vtb_follow_left(void);
/** The process id of the other process of a pair, while it is there; 0: none. */
uint32_t vtb_follow_partner(void);
/** The run is over in this process. In the child: what has become of it. */
void vtb_follow_ends(void);

#endif /* VTB_RT_FOLLOW_H */
