/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file view_move.h
 * What an overlay cannot do and the file system below it can: a directory that was there before is not renamed in a
 * user namespace, nothing is moved from one tree to another, no range is copied from below to above. The call has
 * failed with EXDEV; here it is done in steps. No other thread of the program runs meanwhile.
 */
#ifndef VTB_RT_VIEW_MOVE_H
#define VTB_RT_VIEW_MOVE_H

#include <stdbool.h>
#include <ucontext.h>

/** The result of the call that has just failed with EXDEV, done in steps; -EXDEV if it would have failed so without the
 * view. */
long vtb_view_move(const greg_t *g);

#endif /* VTB_RT_VIEW_MOVE_H */
