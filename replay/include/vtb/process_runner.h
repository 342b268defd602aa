/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file process_runner.h
 * A struct vtb_runner (vtb/runner.h) on the real program: schedules go into a process block in shared memory, the
 * runtime in the program executes them, outcomes and events come back and get names (vtb/ingest.h).
 *
 *     run():  schedule -> encode -> slot READY -> [runtime: RUNNING, child runs, DONE] -> copy out -> verdict -> ingest
 * -> exec up to `slots` schedules are in flight; results are taken in order
 *
 * Trouble:   a run that takes too long is killed: verdict timeout. A run that kills the server counts as crashed
 * (VTB_OUT_CRASHED) and the server is started again; the other schedules of the batch are run. A run whose events do
 * not fit is repeated with more room, up to `events_max` bytes. Verdict:   the runtime's, if it has one; else a signal,
 * an exit status that is not expected, an output that is not expected. Children:  vtb_runner_free() leaves none.
 * Whatever kills this process, the program dies with it (see vtb/launch.h). Threads:   one thread uses a runner, the
 * one that made it.
 */
#ifndef VTB_PROCESS_RUNNER_H
#define VTB_PROCESS_RUNNER_H

#include "vtb/kept_input.h"
#include "vtb/launch.h"
#include "vtb/runner.h"
#include "vtb/said.h"
#include "vtb/target.h"
#include "vtb/wire.h"

struct vtb_symbols;
struct vtb_view_below;

/** Engine of the options: enum vtb_wire_engine, or the fastest that the program allows. */
#define VTB_ENGINE_AUTO (-1)

/** In vtb_process_opts.jobs: one a processor while the engine is snapshot and there is much to do, else one: programs
 * that touch the world outside may get in each other's way. */
#define VTB_JOBS_AUTO UINT32_MAX

/** What counts as a failure beyond what the runtime sees itself. `= {0}`: every exit status but 0. */
struct vtb_pass_rule {
	const int *exit_statuses; /* those that pass; NULL: only 0 */
	size_t n_exit_statuses;
	bool any_exit_status; /* all pass */
	const char *output;   /* file with the expected output (stdout and stderr in the order written); NULL: any */
};

struct vtb_process_opts {
	char *const *argv; /* NULL-terminated, borrowed until the runner is freed; so are the other pointers */
	const char *cwd;   /* NULL: ours */
	const struct vtb_kept_input *input; /* standard input as a failure.json has kept it; NULL: ours */
	int engine; /* enum vtb_wire_engine or VTB_ENGINE_AUTO: snapshot, else forkserver, else exec. Snapshot makes
	               the carrier fibers and falls back to forkserver at the first run that cannot be rolled back */
	enum vtb_wire_carrier carrier;
	enum vtb_wire_dirty
	    dirty;         /* engine snapshot: how changed pages are found; 0: the fastest that this machine allows */
	bool keep_carrier; /* with engine auto: take no engine that needs another carrier */
	uint32_t options;  /* VTB_OPT_*; 0: accesses and values. VTB_OPT_CAPTURE is always set */
	uint32_t follow;   /* control goes with the child of the program's fork() of this number; 0: stays with the
	                      program. Not with engine   snapshot, which has no fork() */
	uint32_t timeout_msec; /* wall time of one run; 0: 10 000 */
	uint64_t max_points;   /* of one run; 0: the runtime's limit */
	uint64_t max_cpu_msec; /* of one run; 0: the runtime's limit */
	uint32_t slots;        /* schedules in flight; 0: 32; engine exec: 1 */
	uint64_t events_bytes; /* room for events of one run to begin with; 0: 4 MB */
	uint64_t events_max;   /* and at most; 0: 512 MB */
	uint32_t jobs;         /* target processes at a time, or VTB_JOBS_AUTO; 0: 1. The results do not depend on it */
	struct vtb_pass_rule pass;
	const struct vtb_wire_break *breaks; /* tier break; `pc` is a file address in module `break_modules[i]` */
	const char *const *break_modules;    /* path of a module, NULL: the program itself */
	size_t n_breaks;                     /* at most VTB_WIRE_BREAKS_MAX */
	uint64_t scratch_bytes; /* that one run may write in its private view of files; 0: a quarter of the memory,
	                           at most 4 GB */
	const struct vtb_view_below *after; /* vtb/starter_view.h: files are as it has left them; NULL: as we do */
	const char *scratch;                /* the directory to write that in; NULL: memory */
	bool keep_calls;                    /* leave the program's calls of hooks as they are: no rewriting */
	bool random_addresses;              /* each process has others, as without us */
	bool whole_output;                  /* of what a run prints, keep all that vtb/said.h allows */
	const char *source_root; /* only what lies below it is the user's source; NULL: see vtb/user_sources.h */
	struct vtb_stop *stop;   /* run() gives up with -EINTR or -ECANCELED; may be NULL */
};

/** What became of it. Strings are borrowed. */
struct vtb_process_info {
	const struct vtb_target *target;
	const char *cwd;                    /* where it is run; NULL: our directory */
	const struct vtb_kept_input *input; /* that it was given; not known: nothing */
	enum vtb_wire_engine engine;
	enum vtb_wire_carrier carrier;
	enum vtb_wire_dirty dirty; /* in use; VTB_DIRTY_AUTO: the engine is not snapshot, or has not started */
	const char *tier;          /* "pads", "tsan", "break", "sync", "none": nothing of it is controlled */
	const char *trouble;       /* what the runtime says it cannot do here, "" nothing */
	const char *engine_reason; /* why not the faster engine, "" it is the one asked for or the fastest */
	uint32_t hooks;            /* VTB_HOOK_* */
	uint32_t uncontrolled;     /* VTB_UNC_* of all runs so far */
	uint64_t accesses;         /* through hooks, in all runs so far */
	bool lent;                 /* a thread has touched a part of a variable on another one's stack, to which the
	                              owner's accesses may have no hooks (vtb_target.blind_fields) */
	uint32_t modules;
	uint32_t restarts;         /* of the server, because it died or hung */
	uint32_t sites, rewritten; /* calls of hooks of plain accesses in the program's file; those that do not go
	                              through the linkage table any more */
	const struct vtb_blind_code *blind; /* what was looked for before the start; places NULL: nobody has looked */
	bool blind_hooked;                  /* its sites have hooks */
	uint64_t cross_checked; /* runs that were repeated on the next slower engine, with the same outcome */
	bool aslr_off;
	uint32_t means;   /* VTB_MEANS_* */
	const char *view; /* how what runs write is kept from everybody else: "mounts", "user", "plain": not at all */
	const char *view_trouble; /* why not, "" it is or nobody asked for it */
	const char *view_advice;  /* what would allow it */
	bool view_each;           /* every run has its own */
	bool view_after;          /* on top of the one asked for in `after` */
};

/** Start it. -VTB_E_TARGET with a sentence if the program cannot be controlled; -ENOENT and the like if it cannot be
 * started. */
int vtb_process_runner_new(const struct vtb_process_opts *opts, struct vtb_runner **ret, struct vtb_error *err);
void vtb_process_runner_info(const struct vtb_runner *runner, struct vtb_process_info *ret);

/** From now on ask for a call stack with every operation (VTB_SCHED_STACKS), or no longer. */
void vtb_process_runner_stacks(struct vtb_runner *runner, bool on);
/** From now on runs go on past a misuse of a primitive, as libc would (VTB_SCHED_PAST), or no longer. Returns what was
 * so far; other runners never do. */
bool vtb_process_runner_past_misuse(struct vtb_runner *runner, bool on);
/** From now on runs have patience with threads that seem to spin (VTB_SCHED_PATIENT), or none; other runners never have
 * any. */
void vtb_process_runner_patient(struct vtb_runner *runner, bool on);
/** From now on schedules are of another build (VTB_SCHED_LOOSE). */
void vtb_process_runner_loose(struct vtb_runner *runner);
/** Names of the program's modules; lives as long as the runner. */
struct vtb_symbols *vtb_process_runner_symbols(struct vtb_runner *runner);
/** The directory below which sources are the user's; NULL: what vtb/user_sources.h says. Lives as long as the runner.
 */
const char *vtb_process_runner_source_root(const struct vtb_runner *runner);
/** What the last run wrote: a fresh string of *ret_size bytes and a NUL, at most 1 MB; NULL if it is not to be had.
 * Exact only after a call of run() with one schedule. */
char *vtb_process_runner_output(const struct vtb_runner *runner, size_t *ret_size);
/** Its end, as it is shown: 4 KB, or 1 MB if all was asked for (whole_output). *ret stays as it was if nothing is to be
 * had. 0 or -ENOMEM. */
int vtb_process_runner_said(const struct vtb_runner *runner, struct vtb_said *ret);
/** Fill said->out and said->err, by one more run of `schedule`, which was the last one made; *said is of it. They stay
 * as they are if that run does not come, or prints something else. */
void vtb_process_runner_said_apart(struct vtb_runner *runner, const struct vtb_schedule *schedule,
                                   struct vtb_said *said);
/** The raw records of the last run taken, for records that an exec does not keep (STACK). Valid until the next run. */
const uint64_t *vtb_process_runner_records(const struct vtb_runner *runner, size_t *ret_words);
/** Runtime address of an address of the module at `path`: 0 if it is not loaded. */
uint64_t vtb_process_runner_address(const struct vtb_runner *runner, const char *path, uint64_t addr);

/** Become the program, executing this one schedule (engine exec, output not captured, no time limit): for a debugger's
 *  exec-wrapper. Returns only on error. */
int vtb_process_runner_exec(struct vtb_runner *runner, const struct vtb_schedule *schedule, struct vtb_error *err);

const char *vtb_engine_name(int engine);
const char *vtb_carrier_name(enum vtb_wire_carrier carrier);
/** "scan", "copy", "mprotect"; NULL for VTB_DIRTY_AUTO. */
const char *vtb_dirty_name(enum vtb_wire_dirty dirty);

/** Run the program once without us, with no input and its output thrown away, for at most `limit_msec`. Milliseconds
 * that it took; -ETIMEDOUT: it was killed; or an error. No run may be in flight. */
int64_t vtb_process_runner_alone(struct vtb_runner *runner, uint32_t limit_msec, struct vtb_error *err);
/** Another `stop` from here on; NULL: none. */
void vtb_process_runner_set_stop(struct vtb_runner *runner, struct vtb_stop *stop);
/** Another limit of a run's wall time from here on. */
void vtb_process_runner_set_timeout(struct vtb_runner *runner, uint32_t msec);

#endif /* VTB_PROCESS_RUNNER_H */
