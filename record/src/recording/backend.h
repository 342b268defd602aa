/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording backend: one row of the table in record_runs.c, one file backend_NAME.c. The recorder makes the
 * directory, starts and watches the program and writes meta.json; a backend says how the program is hooked and what
 * lies in the directory.
 *
 *     prepare (in the temporary directory) -> [directory gets its name] -> start -> poll ... -> finish
 */
#ifndef VTB_BACKEND_H
#define VTB_BACKEND_H

#include "vtb/block.h"
#include "vtb/launch.h"
#include "vtb/record.h"
#include "vtb/target.h"

/* One run in the making. */
struct vtb_run {
	const struct vtb_record_opts *opts;
	const struct vtb_target *target;
	const char *dir;  /* final name of the directory, absolute */
	const char *temp; /* its name while it is prepared */
	struct vtb_child child;
	struct vtb_block block;
	void *state; /* the backend's own */
};

struct vtb_backend {
	const char *name;
	const char *help; /* one line */
	/* Can this machine and this program be recorded so? 0, or the error with what to do. May be NULL. */
	int (*check)(const struct vtb_target *target, struct vtb_error *err);
	/* Put files into run->temp. */
	int (*prepare)(struct vtb_run *run, struct vtb_error *err);
	/* Start the program: fill run->child. The files lie in run->dir now. */
	int (*start)(struct vtb_run *run, struct vtb_error *err);
	/* How far it is: threads and bytes of *p. May be NULL. */
	void (*poll)(struct vtb_run *run, struct vtb_record_progress *p);
	/* --snapshot, and the user asked with SIGUSR2 for what there is now. May be NULL: the signal goes to the
	 * program. Returns the dump's number. */
	int (*dump)(struct vtb_run *run);
	/* Every process of the run has ended: trim the files, say in *result what was recorded. */
	int (*finish)(struct vtb_run *run, struct vtb_record_result *result, struct vtb_error *err);
	/* Give back what prepare() and start() took, whatever has happened. */
	void (*release)(struct vtb_run *run);
};

extern const struct vtb_backend vtb_backend_rt;
extern const struct vtb_backend vtb_backend_pt;
extern const struct vtb_backend vtb_backend_step;
extern const struct vtb_backend vtb_backend_qemu;

#endif /* VTB_BACKEND_H */
