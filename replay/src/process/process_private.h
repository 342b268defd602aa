/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runner on the real program, for process_*.c. */
#ifndef VTB_PROCESS_PRIVATE_H
#define VTB_PROCESS_PRIVATE_H

#include "vtb/process_runner.h"

#include "encode.h"
#include "server.h"
#include "vtb/blind_code.h"
#include "vtb/call_sites.h"
#include "verdict.h"
#include "view_plan.h"

/* Runs that pass over what only one thread touches; owned_runs.c. */
struct owned_runs {
	bool begun, off; /* sites were marked; no more of them */
	bool doubtful;   /* it did not pay when that was looked at last */
	bool shared;     /* a run of this batch has shown that a site is no longer to be passed over */
	bool settled;    /* the last run that passes over has shown nothing of the kind */
	uint32_t told;   /* sites that are not passed over, and 1; 0: none was marked yet */
	uint64_t made, refused;
	uint64_t *met; /* addresses of sites that runs of this batch have met, in another process; then of those that
	                  they may have met, VTB_SITE_PART */
	size_t n_met, n_part;
};

struct process_runner {
	struct vtb_runner base;
	struct vtb_process_opts opts;
	struct vtb_target target;
	struct vtb_runtime_paths runtime;
	struct pass_rule pass;
	struct server server;
	struct vtb_symtab tab;
	struct vtb_symbols *symbols;
	struct vtb_ingest *ingest;
	uint32_t modules_known; /* of the server now running */
	bool holds;             /* it has opened files before main */
	uint32_t encode_flags;
	struct vtb_wire_break *breaks; /* runtime addresses */
	struct vtb_call_sites sites;   /* of the program's file, and places behind them (VTB_SITE_PLACE) */
	uint32_t file_sites;
	struct vtb_blind_code blind; /* of the program's file; empty: nobody has looked */
	char source_root[4096];      /* --source-root, absolute; "" not asked for yet */
	uint64_t *words;             /* records of the last run */
	size_t n_words;
	char engine_reason[300];
	struct view view;    /* of files, for all servers */
	struct server check; /* the next slower engine, for samples; see cross_check.c */
	uint64_t runs, cross_checked;
	struct owned_runs owned;
	bool lent;               /* a thread has touched a part of a variable on the stack of another one */
	struct helpers *helpers; /* more processes that run schedules; see helpers.c */
	uint32_t piece;          /* schedules of a series; see series.c */
};

enum run_how { RUN_WHOLE, RUN_OWNED, RUN_AS_IT_WENT };

struct batch_item {
	uint8_t how;              /* enum run_how */
	uint8_t refused;          /* times */
	bool check;               /* RUN_AS_IT_WENT: the run is one of the sample of cross_check.c */
	struct vtb_schedule went; /* RUN_AS_IT_WENT; the run that went so is in execs */
};

/* The schedules of one call that are still to be run: indexes into the caller's arrays. */
struct batch {
	const struct vtb_schedule *const *schedules;
	struct vtb_exec *execs;
	struct batch_item *items;
	size_t *todo;
	size_t n, posted, taken;
	size_t total;    /* schedules of the call, and those that were asked for since */
	size_t again;    /* todo[0..again) must be run once more */
	bool grow;       /* and needs more room */
	unsigned starts; /* of the server without a result in between */
};

/* Schedules a call: so that slots do not run dry between calls. Strategies look at it (decision 50). */
static inline uint32_t vtb_process_batch_of(uint32_t slots)
{
	return 4 * (slots < 16 ? slots : 16);
}

/* process_runner.c: a result of the first server or of a helper for place i goes there. TAKE_*: it must be run again,
 * and but for WHOLE by itself, since more than its room may have to change. */
enum { TAKE_MORE_ROOM = 1, TAKE_OTHER_ENGINE, TAKE_MORE_THREADS, TAKE_OTHER_VIEW, TAKE_ALONE, TAKE_WHOLE };
int vtb_process_finish_one(struct process_runner *p, struct server_result res, int r, struct batch *b, size_t i,
                           struct vtb_error *err);
/* owned_runs.c: the schedule at place i as it is to be run, and the flags that say how. */
const struct vtb_schedule *vtb_process_schedule(const struct process_runner *p, const struct batch *b, size_t i,
                                                struct vtb_encode_opts *ret_opts);
/* That, encoded. The caller frees *ret_bytes. */
int vtb_process_encode(const struct process_runner *p, const struct batch *b, size_t i, void **ret_bytes,
                       size_t *ret_size);

/* series.c: would it pay to run the batch so? */
bool vtb_series_pays(const struct process_runner *p, const struct batch *b);
/* What is left of the batch is to be run one by one. 0; TAKE_* of what has to change before; or an error. */
int vtb_series_run(struct process_runner *p, struct batch *b, struct vtb_error *err);

/* held_files.c: does the process, which stands before main, have files, pipes or sockets that are not ours? */
bool vtb_holds_files(pid_t pid);

/* choose_engine.c: start the server */
int vtb_process_start(struct process_runner *p, struct vtb_error *err);
/* The fastest engine that works in this program, started. */
int vtb_process_choose_engine(struct process_runner *p, struct vtb_error *err);
void vtb_process_set_defaults(struct vtb_process_opts *o);
/* Its accesses without a hook, if they are to get one: p->blind. */
void vtb_process_find_blind(struct process_runner *p);
/* Engine exec has no process before the first schedule: run the empty one, to learn what the program offers. */
int vtb_process_probe(struct process_runner *p, struct vtb_error *err);
/* What the engine cannot do has come: another one from here on, not started. */
void vtb_process_other_engine(struct process_runner *p);

/* process_modules.c: look at those that are new */
int vtb_process_learn_modules(struct process_runner *p, struct vtb_error *err);
/* Where the kernel gives each process addresses of its own (personality() is forbidden, as in most containers), the
 * program's modules lie elsewhere in another one: [lo, hi) lies `by` bytes further, modulo 2^64. */
struct moved_module {
	uint64_t lo, hi, by;
};
/* The modules of `from` that `to` has, too, in a fresh array; none if all lie where they did. 0 or -ENOMEM. O(n^2). */
int vtb_process_moved(const struct vtb_block *from, const struct vtb_block *to, struct moved_module **ret,
                      size_t *ret_n);
/* Where an address of `from` is in `to`; itself if it lies in no module. O(n). */
uint64_t vtb_process_move(const struct moved_module *moved, size_t n, uint64_t address);
void vtb_process_note_lent(struct process_runner *p, const struct vtb_exec *x);

/* helpers.c */
int vtb_helpers_new(struct process_runner *p);
void vtb_helpers_free(struct process_runner *p);
void vtb_helpers_stop(struct process_runner *p);
/* Where the first server is to run, as header.processor has it. */
uint32_t vtb_helpers_first_processor(const struct process_runner *p);
/* A batch begins, to be run in series or one by one: have as many run as may and as it pays to have. */
void vtb_helpers_begin(struct process_runner *p, const struct batch *b, bool series);
/* Does one of them run this place of the batch? */
bool vtb_helpers_have(const struct process_runner *p, size_t place);
void vtb_helpers_post(struct process_runner *p, const struct batch *b);
/* How many there are; how many are ready for the present batch; the ith; do addresses in its records mean what the
 * first server's do? */
uint32_t vtb_helpers_count(const struct process_runner *p);
uint32_t vtb_helpers_ready(const struct process_runner *p);
struct server *vtb_helpers_server(const struct process_runner *p, uint32_t i);
bool vtb_helpers_agree(const struct process_runner *p, const struct server *server);
/* The result of that place; false: the first server must run it. */
bool vtb_helpers_take(struct process_runner *p, size_t place, struct server_result *ret);
/* Between batches: other places are looked at from now on. */
void vtb_helpers_set_sites(struct process_runner *p);
void vtb_helpers_set_stop(struct process_runner *p, struct vtb_stop *stop);
/* No helpers for the rest of this batch; `failed`: because of them. */
void vtb_helpers_give_up(struct process_runner *p, bool failed);
/* Add what they have counted and not yet handed over. */
void vtb_helpers_seen(const struct process_runner *p, uint64_t *accesses, uint32_t *uncontrolled);

/* free_run.c: after run() has failed. Of a batch that was `cut` the executions before the first that is missing stay,
 * the other ones of the n are freed. Returns how many stay. */
size_t vtb_batch_keep(struct batch *b, bool cut, size_t n);
/* batch.c: all that is to be done. 0 or an error: some may be done. */
int vtb_batch_run(struct process_runner *p, struct batch *b, struct vtb_error *err);
/* And after each that was taken: what comes before the next one is as it will be, unless one of it is to be run again.
 */
void vtb_batch_tell(struct process_runner *p, struct batch *b);

/* owned_runs.c: how are the schedules of this batch run? False: no memory. */
bool vtb_owned_begin(struct process_runner *p, struct batch *b);
/* The same of schedules [from, n), which are in the batch now; nothing is known of them yet. */
void vtb_owned_choose(struct process_runner *p, struct batch *b, size_t from, size_t n);
/* Is the result no run of its schedule, since it passed over what is shared? Then it is freed, and the schedule
 * to be run whole. */
bool vtb_owned_refuses(struct process_runner *p, struct batch *b, size_t i, struct server_result *res);
/* Its events do not fit: is it so long that it is better told by what threads share? Then it is made so from here on.
 */
bool vtb_owned_too_long(struct process_runner *p, struct batch *b, size_t i);
/* How many of those that are still to be run may go before what they show is learnt. O(n). */
size_t vtb_owned_at_once(const struct process_runner *p, const struct batch *b);
/* Before runs are made again: long ones need not be run whole for what those before them have met. */
void vtb_owned_again(struct process_runner *p);
/* The run was made once more only to be checked, and is so long that nobody wants to read it whole: the one that is in
 * its place stays. */
bool vtb_owned_was_enough(struct process_runner *p, const struct batch *b, size_t i);
/* Takes *exec to its place. True: it fails as none did before, and is to be run once more, as it went, to be told
 * whole. */
bool vtb_owned_take(struct process_runner *p, struct batch *b, size_t i, struct vtb_exec *exec);
/* A batch of n is over: there may be sites that are no longer to be passed over. */
void vtb_owned_end(struct process_runner *p, struct batch *b, size_t n);
/* Sites for calls that are none's (VTB_SITE_PLACE), once a runner, behind those of the file. Without memory none. */
void vtb_owned_add_places(struct process_runner *p);
/* Say to all servers which sites are passed over. */
void vtb_owned_tell(struct process_runner *p);
/* owned_learnt.c: struct vtb_runner_ops.learnt, .learn */
size_t vtb_owned_learnt(const struct vtb_runner *runner, uint64_t **ret);
void vtb_owned_learn(struct vtb_runner *runner, const uint64_t *words, size_t n);
/* Whether runs of the present batch, of this process or before it, forbid to pass over site i: VTB_SITE_MET, _PART. */
uint8_t vtb_owned_met(const struct process_runner *p, size_t i);
/* quiet.c: struct vtb_runner_ops.quiet */
int64_t vtb_process_quiet(struct vtb_runner *runner, uint8_t *quiet, size_t n);

/* process_info.c: struct vtb_runner_ops.manner, .named */
uint64_t vtb_process_manner(const struct vtb_runner *runner);
int vtb_process_named(struct vtb_runner *runner);

/* cross_check.c: is this run one of the sample? */
bool vtb_cross_check_due(struct process_runner *p, struct batch_item *item, const struct vtb_wire_outcome *outcome);
/* Run what place i is on the next slower engine. 1: same outcome; 0: another one (p->engine_reason says which); or
 * an error. */
int vtb_cross_check(struct process_runner *p, const struct batch *b, size_t i, const struct server_result *fast,
                    struct vtb_error *err);

static inline struct process_runner *vtb_process_of(const struct vtb_runner *runner)
{
	return (struct process_runner *)runner;
}

#endif /* VTB_PROCESS_PRIVATE_H */
