/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file watch.h
 * Tier watch: a program without hooks, controlled at its synchronisation and at the accesses to a few variables.
 *
 *     which variables     named, or of a profile, or sampled: globals, four words at a time under hardware watchpoints
 * (perf events of type breakpoint, inherited by all threads), in free runs which instructions  those that were seen to
 * touch them; for globals also those that name them control             breakpoints at these instructions
 * (runtime/hooks/breakpoints.c), so that a thread waits before its access; a hardware watchpoint would stop it only
 * afterwards
 *
 * Source: sampling with hardware watchpoints: [DATACOLLIDER10].
 */
#ifndef VTB_WATCH_H
#define VTB_WATCH_H

#include <signal.h>

#include "vtb/error.h"
#include "vtb/accesses.h"
#include "vtb/replay.h"

#define VTB_WATCH_MAX 4u /* variables */

struct vtb_watch_opts {
	char *const *argv;
	const char *cwd;       /* NULL: ours */
	const char *program;   /* its ELF file, absolute */
	const char *focus;     /* variable to watch, with its parts; NULL: choose */
	const char *profile;   /* directory of a qemu recording; NULL: sample */
	double seconds;        /* for sampling; 0: 3 */
	struct vtb_stop *stop; /* may be NULL */
};

struct vtb_watch {
	struct vtb_break_plan plan;
	size_t n_variables;
	char names[400]; /* "account.balance, list_add, line 12" */
	const char
	    *source; /* "profile", "watchpoints", "code": none of the two was to be had, or none had more to say */
};

/** Choose variables and instructions. 0; -VTB_E_UNSUPPORTED with the reason: there is nothing to watch. */
int vtb_watch_make(const struct vtb_watch_opts *opts, struct vtb_watch *ret, struct vtb_error *err);
void vtb_watch_fini(struct vtb_watch *w);

/** Can hardware watchpoints be used here? 0, or -VTB_E_UNSUPPORTED with what is missing. */
int vtb_watch_available(struct vtb_error *err);

/** Free runs of the program with watchpoints on `addrs` (in the file, each a word of 4 bytes), four at a time: what was
 * seen is added to the profile. Returns accesses seen, -VTB_E_UNSUPPORTED, errno. */
int64_t vtb_watch_sample(const struct vtb_watch_opts *opts, const uint64_t *addrs, size_t n, struct vtb_accesses **ret,
                         struct vtb_error *err);

#endif /* VTB_WATCH_H */
