/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What vtb-replay has open: the file with schedules, and a runner on the program that fits them. */
#ifndef VTB_SESSION_H
#define VTB_SESSION_H

#include "vtb/replay.h"

struct session {
	const struct vtb_replay_opts *opts;
	struct vtb_schedules file;
	struct vtb_failure failure; /* if the file is one */
	bool is_failure;
	uint32_t follow;                     /* likewise: --follow-children */
	bool real_time;                      /* asked for, or the failure was found so */
	const char *fail_if, *expect_output; /* likewise; NULL: neither */
	char *const *argv;                   /* what is run */
	const char *cwd;
	struct vtb_break_plan plan; /* tier break */
	enum vtb_resolve_how how;
	int statuses[256];
	struct vtb_stop stop;
	struct vtb_runner *runner;
};

/* Is this a failure.json? */
bool vtb_session_is_failure(const char *path);

/* Read the file, choose tier and engine, start the program. session_fini() after any result. */
int vtb_session_open(struct session *s, const struct vtb_replay_opts *opts, struct vtb_error *err);
void vtb_session_close(struct session *s);

#endif /* VTB_SESSION_H */
