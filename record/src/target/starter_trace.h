/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that follows a starter: tells of each program started, goes on or ends as it is told. */
#ifndef VTB_STARTER_TRACE_H
#define VTB_STARTER_TRACE_H

#include <stdint.h>

#define STARTER_PART_MAX (1u << 20) /* bytes of one of them */

/* Before each message: how long its parts are. */
enum starter_part { STARTER_EXE, STARTER_CWD, STARTER_ARGV, STARTER_ENV, STARTER_PARTS };
struct starter_head {
	uint32_t size[STARTER_PARTS]; /* argv and env: strings with their zeros */
	uint32_t pid;
	uint32_t wrote; /* something has been changed in the view by now */
	uint32_t
	    refused; /* nothing was started: part EXE is what it could not change, as it lies outside of the view */
};

/* In a forked child: messages to `out`, after each a byte is awaited from `in`. Does not return; status 1: ptrace is
 * not allowed. `view` may be NULL. */
struct vtb_fsview;
_Noreturn void vtb_starter_trace(char *const *argv, const char *cwd, const struct vtb_fsview *view, int out, int in);

#endif /* VTB_STARTER_TRACE_H */
