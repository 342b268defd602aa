/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file replay.h
 * Schedules from files on a program that may have been built anew: find the operations again, prove a failure by
 * repetition, put it into a struct vtb_failure.
 *
 * Names:   an operation is found by thread path, kind, function, line in the function, variable, occurrence
 * (vtb/schedule.h). A line that has moved inside its function is found by its text. What is ambiguous or gone is
 * reported and not guessed. How:     the first k deviations determine the run up to the (k+1)-th operation: so each
 * operation is looked up in a run under the deviations before it, where its name is exact.
 */
#ifndef VTB_REPLAY_H
#define VTB_REPLAY_H

#include "vtb/consent.h"
#include "vtb/exec.h"
#include "vtb/failure.h"
#include "vtb/process_runner.h"
#include "vtb/runner.h"
#include "vtb/runner_options.h"
#include "vtb/schedule.h"

/* ---- finding operations again */

enum vtb_place_state {
	VTB_PLACE_SAME,      /* where it was */
	VTB_PLACE_MOVED,     /* on another line of its function, which has the same text */
	VTB_PLACE_CHANGED,   /* found by function and line, but the line's text or the variable's name is another */
	VTB_PLACE_AMBIGUOUS, /* several lines have this text: not chosen */
	VTB_PLACE_MISSING,   /* no such operation in the run */
};

/** A remark on one operation of a schedule. */
struct vtb_place_note {
	enum vtb_place_state state;
	char text[320]; /* one sentence */
};

struct vtb_resolution {
	struct vtb_schedule schedule; /* ids and strings of the runner's table, objects of deviations unknown; owned */
	bool by_name;                 /* operations were looked up by name */
	struct vtb_place_note *notes; /* on operations that are not VTB_PLACE_SAME; owned */
	size_t n_notes, cap_notes;
	size_t unresolved; /* ambiguous or missing: the schedule cannot be replayed as it was meant */
	uint32_t runs;     /* made to find the operations */
};

enum vtb_resolve_how {
	VTB_RESOLVE_AUTO, /* by index if the modules concerned have the same build-id, else by name */
	VTB_RESOLVE_BY_INDEX,
	VTB_RESOLVE_BY_NAME, /* also when the build is the same, but other operations are visible (another tier) */
};

/** Is the program, whose names are `now`, the build that `from` tells of? Judged by the build-ids of the modules that
 * `from` names. */
enum vtb_build { VTB_BUILD_UNKNOWN, VTB_BUILD_SAME, VTB_BUILD_OTHER };
enum vtb_build vtb_replay_build(const struct vtb_symtab *from, const struct vtb_symtab *now);
/** "same", "other", "unknown"; and how a sentence on the build goes on. */
const char *vtb_replay_build_name(enum vtb_build build);
const char *vtb_replay_build_words(enum vtb_build build);

/** `s`, whose ids are those of `from`, for the runner's program. Not finding an operation is no error. Up to
 *  2 + operations runs. Errors: those of the runner, -ENOMEM. On error *ret is empty. */
int vtb_replay_resolve(struct vtb_runner *runner, const struct vtb_schedule *s, const struct vtb_symtab *from,
                       enum vtb_resolve_how how, struct vtb_resolution *ret, struct vtb_error *err);
void vtb_resolution_fini(struct vtb_resolution *r);

/** The same build need not do the same before the operations of a schedule: it may look at its environment, or at who
 *  started it. Where the run *x of *res, looked up by index, did not follow `s`, look its operations up by name and run
 *  that. 1: it follows, and both take the places of *res and *x. 0: they stay. Errors: as vtb_replay_resolve(). */
int vtb_replay_resolve_again(struct vtb_runner *runner, const struct vtb_schedule *s, const struct vtb_symtab *from,
                             struct vtb_resolution *res, struct vtb_exec *x, struct vtb_error *err);

/** The operation called `name` of thread `thread` in the run `x`: its index in the thread, or -ENOENT (missing) or
 * -EEXIST (ambiguous). *ret_note says what there is to say. O(events). */
int64_t vtb_replay_find(const struct vtb_exec *x, const struct vtb_symtab *tab, uint32_t thread,
                        const struct vtb_opname *name, struct vtb_place_note *ret_note);

/** Is every named operation of `s` that the run `x` got to the one its index says? False: *ret_note names the first
 * that is not. */
bool vtb_replay_follows(const struct vtb_exec *x, const struct vtb_symtab *tab, const struct vtb_schedule *s,
                        struct vtb_place_note *ret_note);

/* ---- proving */

struct vtb_confirmation {
	uint32_t runs, failing, diverged;
	bool confirmed; /* every run failed, none diverged, all with one signature (and the expected one, if given) */
	enum vtb_verdict verdict; /* of the first failing run, else of the last */
	const char *signature;    /* of the first failing run, "" none; the runner's table's */
	const char *reason;   /* why not confirmed, one clause; "" confirmed or nothing failed; static or the table's */
	struct vtb_exec exec; /* the last run; owned */
};

/** Run it `times` times. `expected`: signature to be reproduced, NULL any. */
int vtb_replay_confirm(struct vtb_runner *runner, const struct vtb_schedule *s, uint32_t times, const char *expected,
                       struct vtb_confirmation *ret, struct vtb_error *err);
void vtb_confirmation_fini(struct vtb_confirmation *c);

/** Was it another run than the one that was asked for? */
bool vtb_replay_diverged(const struct vtb_outcome *o);

/** Did a run with this verdict find a bug, prove nothing, or pass? 1, 3, 0: as vtb_verdict_exit_code(), divergence
 * considered. */
int vtb_replay_exit_code(const struct vtb_outcome *o);

/** Run `s` once more with call stacks: the run with every operation at the line of the user's source that it is done
 * for (sites with `via`). For words and pictures; names by which operations are found again are not in it. *calls, if
 * not NULL and empty, gets the user's functions that were under way at each; its names are the runner's. */
int vtb_replay_shown(struct vtb_runner *runner, const struct vtb_schedule *s, struct vtb_exec *ret,
                     struct vtb_run_calls *calls, struct vtb_error *err);

/** Run `s` once more with call stacks, or without if it does not fail so, and fill schedule, trace, verdict, signature,
 * stacks of *ret (vtb_failure_init()ed). The tuple is that of the run, with tuple_known false, as nothing was shrunk.
 * -VTB_E_DIVERGED if that run does not fail. */
int vtb_replay_failure(struct vtb_runner *runner, const struct vtb_schedule *s, char *const *argv,
                       struct vtb_failure *ret, struct vtb_error *err);

/** Likewise without a run, of `seen`, which failed under `s`: there is no time for another. No call stacks, no output
 * and no run that passes are in it, and lines are those of the instructions. */
int vtb_replay_failure_seen(struct vtb_runner *runner, const struct vtb_schedule *s, const struct vtb_exec *seen,
                            char *const *argv, struct vtb_failure *ret, struct vtb_error *err);

/* ---- tier break */

struct vtb_break_plan {
	struct vtb_wire_break *breaks; /* pc: address in the module's file; owned */
	size_t n_breaks, cap_breaks;
	char **modules; /* modules[i]: path of breaks[i]'s module; owned */
	size_t n_modules, cap_modules;
	size_t without; /* accesses of the schedule for which no instruction was found */
	char text[320]; /* the first of these, one sentence */
};

/** Instructions of `program` (and of modules named in `tab`, if they exist) at which the accesses take place that the
 *  schedules' deviations and constraints name; with `trace` (the failing run, may be NULL) also all other accesses to
 * the variables concerned, else all accesses in the functions concerned. */
int vtb_break_plan_make(const struct vtb_schedule *schedules, size_t n, const struct vtb_symtab *tab,
                        const struct vtb_trace *trace, const char *program, struct vtb_break_plan *ret,
                        struct vtb_error *err);
/** The accesses of these instructions of `program` (addresses in the file), and of those that name one of the `words`
 * directly (4 bytes each, addresses in the file). Stack slots are left out. */
int vtb_break_plan_at(const char *program, const uint64_t *pcs, size_t n, const uint64_t *words, size_t n_words,
                      struct vtb_break_plan *ret, struct vtb_error *err);
void vtb_break_plan_fini(struct vtb_break_plan *p);

/* ---- vtb-replay */

struct vtb_replay_opts {
	const char *path;              /* schedules.json or failure.json */
	char *const *argv;             /* program; NULL: the recorded command, in its directory */
	uint32_t schedule;             /* only this one, from 1; 0: all */
	uint32_t times;                /* replays of a failing schedule; 0: 3 */
	struct vtb_runner_opts runner; /* follow, real_time, fail_if, expect_output: or as failure.json says */
	const char *output;            /* where to write failure.json; NULL: nowhere */
	struct vtb_consent consent;    /* to run the recorded command */
	const volatile sig_atomic_t *stop;
};

/** One schedule replayed. */
struct vtb_replay_row {
	uint32_t schedule;          /* from 1 */
	struct vtb_outcome outcome; /* of its first run; strings are the report's */
	bool diverged, confirmed, by_name;
	uint32_t runs, failing;
	char reason[320];             /* why it was not confirmed, or where it diverged; "" nothing to say */
	struct vtb_place_note *notes; /* owned */
	size_t n_notes;
};

struct vtb_replay_report {
	struct vtb_runner *runner; /* holds the names; freed with the report */
	char *file_text;           /* of remarks on the whole: "" none; owned */
	struct vtb_replay_row *rows;
	size_t n_rows, cap_rows;
	uint32_t confirmed, failing, diverged, passed, inconclusive; /* schedules; failing: not confirmed */
	bool failure_written;
	char *const *argv;         /* program that was run; borrowed or of the file read */
	struct vtb_schedules file; /* as read */
};

/** Replay. Trouble with the file or program is an error; what the schedules do is in the report. */
int vtb_replay_run(const struct vtb_replay_opts *opts, struct vtb_replay_report *ret, struct vtb_error *err);
void vtb_replay_report_fini(struct vtb_replay_report *report);
/** 1 if any schedule was confirmed to fail; else 3 if any diverged or proves nothing, or failed unconfirmed; else 0. */
int vtb_replay_report_exit_code(const struct vtb_replay_report *report);
/** Become the program running opts->schedule (or the only one): for a debugger's exec-wrapper. Returns only on error.
 */
int vtb_replay_exec(const struct vtb_replay_opts *opts, struct vtb_error *err);

/** Become gdb on the program, which it starts through vtb_replay_exec(). Returns only on error. */
int vtb_replay_gdb(const struct vtb_replay_opts *opts, struct vtb_error *err);

#endif /* VTB_REPLAY_H */
