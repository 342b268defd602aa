/* SPDX-License-Identifier: BSD-2-Clause */
/** @file view_moved.h A directory that was moved in steps is another one than before: who was in it, or had it open,
 * goes along. */
#ifndef VTB_RT_VIEW_MOVED_H
#define VTB_RT_VIEW_MOVED_H

#include <sys/stat.h>

/** Current directory and descriptors of this process that stand for `was` stand for what is open as `now`. */
void vtb_view_moved(const struct stat *was, int now);

#endif /* VTB_RT_VIEW_MOVED_H */
