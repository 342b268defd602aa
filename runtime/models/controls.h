/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file controls.h
 * What the hooks call under control, instead of the real functions: they return when it is the calling thread's turn
 * again and the model says that the call is over. Same results as the real ones. Only the thread whose turn it is calls
 * them.
 */
#ifndef VTB_RT_CONTROLS_H
#define VTB_RT_CONTROLS_H

#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "control.h"

/** A block of the heap has been handed out, whoever asked for it. */
void vtb_ctl_block_is_born(const void *block);
/** Are blocks that libc itself takes and gives back operations of t? */
bool vtb_ctl_watches_libc(const struct vtb_rt_thread *t);
/* one for each row of interpose.def, and those of control.def */
#define VTB_SYNC(ret, name, params, args, when, kind, obj, result) ret vtb_ctl_##name params;
#include "interpose.def"
#undef VTB_SYNC
#define VTB_CONTROL(ret, name, params) ret vtb_ctl_##name params;
#include "control.def"
#undef VTB_CONTROL

#endif /* VTB_RT_CONTROLS_H */
