/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file view.h
 * The program's private view of files (vtb/fsview.h, decision 78), from within. A run that would change what its view
 * does not have is stopped before, and the tool starts the program again with a view that has it.
 */
#ifndef VTB_RT_VIEW_H
#define VTB_RT_VIEW_H

#include "kernel.h"

/** Does what this run changes in the file system concern nobody else? */
bool vtb_view_is_private(void);
/** The program is about to start a process. Does not return if that could change what is not in the view. */
void vtb_view_starts_process(void);
/** The run cannot go on if this path lies outside of its view but need not. */
void vtb_view_needs(const char *path);
/** Absolute, from a directory and a name of the program's, which may lead nowhere. `to`: 4096 bytes. False: it is none
 * of a file that is changed like others (kernel's own, devices), or has none. */
bool vtb_view_resolve(int fd, const char *path, char *to);

/** Where the name really lies, in a directory without symbolic links; what it stands for itself is not looked at. `to`:
 * 4096 bytes. */
bool vtb_view_name(int fd, const char *path, char *to);
/** What the descriptor stands for; false: it has no name. `to`: 4096 bytes. */
bool vtb_view_descriptor(int fd, char *to);
/** Number of the mount that the tree with this path in it stands for; -1: it is in none. */
int64_t vtb_view_mount_of(const char *path);

#endif /* VTB_RT_VIEW_H */
