/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file output.h
 * A file that appears whole or not at all: written under a temporary name in the same directory, then renamed.
 *
 * Shape:     "-" is stdout; devices and pipes are written directly, and a pipe that nobody reads is an error; a link
 *            keeps pointing where it did. In a directory like /tmp (sticky, everybody may write) no link is followed.
 *            The directory is opened once: whatever is done to its name later, the file appears in that one.
 * Ownership: the output owns its FILE. vtb_output_commit() or vtb_output_abort() ends it; aborting twice, or after a
 *            commit, or a `{0}` output, does nothing.
 * Errors:    negative errno with the file's name in `err`.
 * Signals:   after vtb_output_guard(), SIGINT, SIGTERM, SIGHUP, SIGPIPE and SIGQUIT remove the temporary files of this
 * process before they kill it. A command with handlers of its own calls vtb_output_unlink_all() instead.
 */
#ifndef VTB_OUTPUT_H
#define VTB_OUTPUT_H

#include <signal.h>
#include <stdio.h>

#include "vtb/error.h"

#define VTB_OUTPUTS_MAX 16 /* open at the same time in one process */

struct vtb_output {
	FILE *file; /* write here */
	char *path; /* where it is to appear; owned */
	char *temp; /* its name until then, in `dir`; NULL: written directly; owned */
	int dir;    /* descriptor of the directory, or -1 */
	int row;    /* in the table of files that a signal removes; -1 none */
};

int vtb_output_open(struct vtb_output *out, const char *path, struct vtb_error *err);
/** Flush, check that everything was written, rename. On error the temporary file is gone and the old file untouched. */
int vtb_output_commit(struct vtb_output *out, struct vtb_error *err);
/** Signals to this thread wait until they are let: two files that belong together get their names together. */
void vtb_output_hold_signals(sigset_t *ret_before);
void vtb_output_let_signals(const sigset_t *before);
void vtb_output_abort(struct vtb_output *out);

void vtb_output_guard(void);
/** Async-signal-safe. */
void vtb_output_unlink_all(void);

#endif /* VTB_OUTPUT_H */
