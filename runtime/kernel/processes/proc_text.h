/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file proc_text.h
 * What /proc says of child processes, read without libc: nobody else runs meanwhile, so there is one buffer for all.
 * Contract: what vtb_proc_read() has returned holds until the next call of it.
 */
#ifndef VTB_RT_PROC_TEXT_H
#define VTB_RT_PROC_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define VTB_PROC_BYTES 2048u

/** Append `part` or a number at `to`; the end is returned. */
char *vtb_proc_put(char *to, const char *part);
char *vtb_proc_put_number(char *to, uint64_t n);
/** "/proc/12/task/13"; tid "": the directory of all its tasks. */
char *vtb_proc_task(char *to, pid_t pid, const char *tid);
/** The beginning of a file; NULL: it is not there, or there is nothing in it. */
const char *vtb_proc_read(const char *path);
uint64_t vtb_proc_number(const char **at);

/** What a task waits for that sleeps. */
enum vtb_child_waits {
	VTB_CHILD_WAITS_FOR_OTHERS,
	VTB_CHILD_WAITS_FOR_TIME, /* or nobody can tell */
	VTB_CHILD_WAITS_FOR_US,   /* child_files.h */
};

/* child_call.c */
enum vtb_child_waits vtb_child_waits_in(pid_t pid, const char *tid);

/* child_timer.c */
/** May the process have set a timer, which ends its wait? One that was forked and has started no program is not asked:
 * it tells (vtb_follow_sets_timer()). */
bool vtb_child_may_have_timer(pid_t pid);

#endif /* VTB_RT_PROC_TEXT_H */
