/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file record.h
 * Record a run of a program into a directory (docs/format/recording.md):
 *
 *     run.vtb/meta.json       what was run, how it ended; "status" is "running" until it has
 *     run.vtb/process.vtb     the process block (vtb/wire.h)
 *     run.vtb/thread-N.vtbe   the events of the thread in slot N
 *
 * Always valid: the directory appears under its name, complete with meta.json and block, before the program starts; an
 * older recording there is exchanged in one step and removed once the program runs. Event files are written by the
 * program itself through shared mappings, so that killing anyone at any moment loses nothing that was counted.
 *
 * Signals:   while it runs, SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGCHLD are blocked in the calling thread, and the
 * first four are forwarded to the program's process group; the same again, or 5 s later, kills it. Threads:   one
 * recording at a time in a process.
 */
#ifndef VTB_RECORD_H
#define VTB_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "vtb/error.h"

#define VTB_RECORDING_FORMAT "vtb-recording"
#define VTB_RECORDING_VERSION 1
#define VTB_RECORD_TIMED_OUT 124 /* exit code of a program that was stopped by `timeout_msec`, as timeout(1) */

enum vtb_record_status { VTB_RECORD_RUNNING, VTB_RECORD_ENDED, VTB_RECORD_TIMEOUT, VTB_RECORD_INTERRUPTED };

/** How far it is; for a progress line. */
struct vtb_record_progress {
	uint32_t run, runs; /* this one, from 1; how many at most */
	double seconds;     /* since this run began */
	uint64_t bytes;     /* stored so far */
	uint32_t threads;   /* created so far */
};

struct vtb_record_opts {
	char *const *argv;     /* NULL-terminated program and arguments */
	const char *output;    /* directory; NULL: "run.vtb" */
	const char *backend;   /* NULL: "rt" */
	uint32_t repeat;       /* at most so many runs; 0: one */
	bool until_fail;       /* stop at the first run that fails, and keep that one */
	uint32_t timeout_msec; /* of each run; 0: none */
	uint64_t max_bytes;    /* of event data of each run; 0: no limit */
	bool sync_only;        /* leave out memory accesses */
	bool snapshot;         /* backend pt: keep only what fits the buffers, of the end of the run */
	void (*progress)(void *arg, const struct vtb_record_progress *p); /* about five times a second; may be NULL */
	void *progress_arg;
};

/** How the last run, whose recording was kept, went. */
struct vtb_record_result {
	enum vtb_record_status status;
	int exit_code; /* the program's own, 128 + signal, VTB_RECORD_TIMED_OUT */
	int signal;
	uint32_t runs;         /* runs made */
	bool failed;           /* the last run did */
	double seconds;        /* of the last run */
	uint32_t threads;      /* threads seen */
	uint32_t hooks;        /* VTB_HOOK_* */
	uint32_t uncontrolled; /* VTB_UNC_* */
	uint64_t accesses;     /* memory accesses seen */
	uint64_t bytes;        /* of event data */
	uint64_t lost;         /* events not stored */
	uint32_t left_behind;  /* processes that it left running and that were ended */
	bool attached;         /* the runtime came to life in it */
	char note[640];        /* what was not recorded and what to do about it, one sentence; "" all is well */
};

/** Record. 0 if the program was run, however it ended. -ENOENT, -EACCES and what else vtb_target_exit_code() knows: the
 * program cannot be started; -VTB_E_TARGET: it cannot be recorded; -EIO: trouble with the recording's files, named in
 * `err`. */
int vtb_record_run(const struct vtb_record_opts *opts, struct vtb_record_result *ret, struct vtb_error *err);

const char *vtb_record_status_name(enum vtb_record_status status);

#endif /* VTB_RECORD_H */
