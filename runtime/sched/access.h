/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file access.h
 * Plain accesses of a calm run, which are done in one piece (access.c).
 *
 * Whether an access is one of these is asked before anything of it stands on the stack: where it is not, the way to
 * vtb_ctl_arrive() is the same as ever, as the frames on that way are part of where the thread stands.
 */
#ifndef VTB_RT_ACCESS_H
#define VTB_RT_ACCESS_H

#include "scheduler.h"

/** Where nothing but the policy decides, do all of the plain access that t is about to make; returns when it may be
 * made. False: it is none of these, nothing has been done, and no register that a call keeps has been touched. On a
 * stack: call vtb_rt_stack_access() before. O(1). */
bool vtb_access_calmly(struct vtb_rt_thread *t, unsigned kind, const void *addr, unsigned size_log2, uint64_t pc);

#endif /* VTB_RT_ACCESS_H */
