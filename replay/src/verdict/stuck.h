/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file stuck.h What a run that has to be stopped is doing: said before it is killed. */
#ifndef VTB_STUCK_H
#define VTB_STUCK_H

#include <stddef.h>
#include <sys/types.h>

/** "kernel thread 2 of 3 sits in rt_sigtimedwait, 1 runs on": which kernel threads of the process are in a system call
 * other than the futex by which they wait for their turn, and how many use the processor. "" if it cannot be told.
 * Returns buf. */
char *vtb_stuck_describe(pid_t pid, char *buf, size_t size);

#endif /* VTB_STUCK_H */
