/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file child_files.h
 * What child processes change in files, where there is no private view (kernel/view.h): a seccomp filter in each child
 * asks the process that forks runs before a call that would change something. That makes what is harmless itself, and
 * notes what has been made. A run that would change what was there before is ended before it does, and made again; from
 * then on that is let through, and the claim goes.
 *
 *     run ── fork ──► child: filter, hands its listener over ── socket ──► server: answers until the run has ended
 *                       └── programs that it starts, their children: the same filter
 *
 * Ownership: a socket of the server's, which runs inherit; listeners are closed when the run has ended.
 * Limits:    LISTENERS_MAX children at a time; one more, or one whose filter cannot be set, counts as unseen.
 */
#ifndef VTB_RT_CHILD_FILES_H
#define VTB_RT_CHILD_FILES_H

#include "kernel.h"

struct seccomp_notif;
struct sock_fprog;

/** The run is about to make a process by this call, `seen` by control: will its calls be seen? */
bool vtb_child_files_follow(const greg_t *g, bool seen);
/** The new process, before anything else; also in memory that it shares with its parent. */
void vtb_child_files_watch(void);
/** Likewise one that fork() has made. */
void vtb_child_files_forked(void);
/** Are there filters? */
bool vtb_child_files_on(void);
extern bool vtb_child_files_are_on; /* likewise, for who must not call */
/** Does who waits in this call wait for the server's answer? */
bool vtb_child_files_asks(uint64_t number, const uint64_t *args);

/* ---- between the files */

enum child_answer {
	CHILD_DONE,    /* answered, or nobody waits any more */
	CHILD_CHANGES, /* not answered: it may change what was there before */
	CHILD_STOPS,   /* not answered: under a filter it cannot go on as it would without */
};
/** Answer one question; `exact`: whoever asks is not interrupted meanwhile, and asks but once. */
enum child_answer vtb_child_answer(int listener, const struct seccomp_notif *n, bool exact);
/** Has the process the same users, groups and capabilities as this one? Its mask of modes, too. */
bool vtb_child_is_like_us(uint32_t pid, unsigned *ret_umask);
/** "/proc/12/fd/3"; fd -1: without a number. */
void vtb_child_proc_name(char *to, uint32_t pid, const char *what, int fd);
/** The filter, one for all; `execs`: ask before programs are started, too. */
const struct sock_fprog *vtb_child_filter(bool execs);

#endif /* VTB_RT_CHILD_FILES_H */
