/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file hunt_priv.h
 * The hunt on any runner: everything that does not need a process. hunt.c starts the process around it.
 */
#ifndef VTB_HUNT_PRIV_H
#define VTB_HUNT_PRIV_H

#include "predict.h"
#include "shrink.h"
#include "vtb/hunt.h"
#include "vtb/keeper.h"
#include "vtb/exec_stem.h"
#include "vtb/strategies.h"

/** What the runs showed that were not made by the hunt's own runner. */
struct vtb_hunt_elsewhere {
	uint64_t schedules, cross_checked;
	uint32_t uncontrolled; /* VTB_UNC_* */
	const char *files;     /* of struct vtb_hunt_facts: the one that keeps runs apart least; NULL: none */
};

struct vtb_hunt {
	const struct vtb_hunt_opts *opts;
	struct vtb_hunt_result *result; /* runner, argv and the static facts are filled in by the caller */
	struct vtb_runner *runner;
	double start, deadline; /* monotonic seconds */
	double shift;           /* by which start and deadline were moved since it began (vtb_hunt_state_begin()) */
	struct vtb_kept_facts before; /* of runs that were not made here */
	struct vtb_stop stop;         /* the runner looks at it, too */
	double run_seconds;           /* that the run of the default schedule took */
	int64_t alone_msec;           /* that the program takes without us; -1: too long; 0: not looked at */
	double last_report;
	uint64_t last_schedules;
	double rate;
	enum vtb_hunt_phase phase;
	uint32_t level_c, level_v;
	struct vtb_predicate *predicate;    /* while the search lasts: what can matter to a failure; or NULL */
	struct vtb_stem stem;               /* what searches make their runs without; empty: nothing */
	struct vtb_exec first_short;        /* result->first, without it */
	struct vtb_predictions predictions; /* vtb_hunt_core() fills and frees them */
	/* called after the run of the default schedule, may be NULL; 1: the verdict is set, stop here */
	int (*after_first)(struct vtb_hunt *hunt);
	/* called when that run had to be stopped, may be NULL; 1: it may take longer now, try again; 0: it may not; or
	 * an error */
	int (*more_time)(struct vtb_hunt *hunt);
	/* have runs go on past misuses of primitives or not, may be NULL; what was so far */
	bool (*past_misuse)(struct vtb_runner *runner, bool on);
	/* have runs have patience with threads that seem to spin, may be NULL */
	void (*patient)(struct vtb_runner *runner, bool on);
	/* called before the search unless there is a finding, may be NULL; it may add one */
	int (*before_search)(struct vtb_hunt *hunt);
	/* made instead of the search, NULL: that; it sets the facts of the search */
	int (*search)(struct vtb_hunt *hunt);
	struct vtb_hunt_elsewhere elsewhere;
	/* asked while searching, may be NULL: is what was run enough? */
	bool (*enough)(struct vtb_hunt *hunt, const struct vtb_search *search);
	/* a finding was proved and is to be worked out, may be NULL */
	int (*proved)(struct vtb_hunt *hunt, struct vtb_finding *f);
	/* what the last run wrote, a fresh string; may be NULL */
	char *(*output)(const struct vtb_runner *runner, size_t *ret_size);
	/* the end of that, for reports; may be NULL */
	int (*said)(const struct vtb_runner *runner, struct vtb_said *ret);
	/* the run of a schedule with its operations at the user's lines (vtb/replay.h); may be NULL */
	int (*show)(struct vtb_runner *runner, const struct vtb_schedule *s, struct vtb_exec *ret,
	            struct vtb_run_calls *calls, struct vtb_error *err);
	bool satisfied;      /* that has ended the search */
	bool passes;         /* a run of it passed, although the first ones all failed */
	uint64_t explaining; /* runs made to find causes, or past the end of the search: no part of it */
	struct vtb_error *err;
};

/** Executed so far, for this hunt. */
static inline uint64_t vtb_hunt_schedules(const struct vtb_hunt *hunt)
{
	return hunt->runner->schedules - hunt->explaining + hunt->elsewhere.schedules;
}

double vtb_hunt_now(void);
/** That it has in all. */
double vtb_hunt_seconds(const struct vtb_hunt_opts *opts);
/** Set clock and runner; `result->runner` must be there. */
void vtb_hunt_begin(struct vtb_hunt *hunt, const struct vtb_hunt_opts *opts, struct vtb_hunt_result *result,
                    struct vtb_error *err);
/** Tell the caller where we are, if it is time to. */
void vtb_hunt_tell(struct vtb_hunt *hunt, enum vtb_hunt_phase phase);
bool vtb_hunt_interrupted(struct vtb_hunt *hunt);
/** Why it ended before its end: "interrupt", "memory", "time". */
const char *vtb_hunt_stop_word(struct vtb_hunt *hunt);
/** Is the time over or the memory full, or has somebody said so? */
bool vtb_hunt_due(struct vtb_hunt *hunt);

/** First runs, search, findings: fills verdict, findings and the facts of the search. 0 or an error. */
int vtb_hunt_core(struct vtb_hunt *hunt);

/** hunt_search.c: the search, until it ends or a failure is found, which is worked out; fills the facts of the search.
 * 0 or an error. */
int vtb_hunt_search(struct vtb_hunt *hunt);

/** The default schedule and, if it fails, very different ones. Sets the verdict to sequential or regardless where that
 * is so; *ret_failing: the default run fails but others pass. */
int vtb_hunt_first_runs(struct vtb_hunt *hunt, bool *ret_failing);
/** They showed a misuse, which ends a run, so that nothing behind it has been seen: the run of the default schedule
 * once more, to its end. It may be a finding. */
int vtb_hunt_past_misuse(struct vtb_hunt *hunt);

/** The first runs all failed: does this one say that there is an order to blame? Not past a misuse, with which runs no
 * longer end. */
bool vtb_hunt_refutes_regardless(const struct vtb_hunt_result *result, const struct vtb_exec *x);
/** It does: work the first failure out by its order. What cannot be worked out any more stays, as what the default
 * schedule does. 0 or an error. */
int vtb_hunt_blame_an_order(struct vtb_hunt *hunt);
/** Let go of what a finding holds. */
void vtb_hunt_finding_fini(struct vtb_finding *f);

/** After the run of the default schedule: has the program what the options focus on? 0, or -EINVAL with what there is.
 */
int vtb_hunt_check_focus(struct vtb_hunt *hunt);

/** What a run was doing when it had to be stopped: the calls its kernel threads were in, the last operation of each
 * thread. A fresh string, or NULL. */
char *vtb_hunt_describe_stuck(const struct vtb_exec *x, const struct vtb_symtab *tab);

/** Threads that existed in a run, main included. O(events). */
uint32_t vtb_hunt_count_threads(const struct vtb_exec *x);

/** Shrink, lower, confirm and append a failing run as a finding. 0; 1: its signature is known or it did not come again.
 * `empty_below`: no schedule with a lower (c, v) fails, as the search has shown; NULL: not known. */
int vtb_hunt_add_finding(struct vtb_hunt *hunt, const struct vtb_exec *failing, uint64_t schedule_number,
                         const struct vtb_tuple *empty_below);

/** Replay `schedule` as often as the options say, or as there is time for: f->replays, and f->confirmed failed with
 * this signature. */
int vtb_hunt_confirm(struct vtb_hunt *hunt, const struct vtb_schedule *schedule, const char *signature,
                     struct vtb_finding *f);

/** refine.c: from a proved finding to the simplest order, within --refine and the hunt's time; *s is replaced by
 * something better, or left. f: minimal, t. Ends early with what there is. */
int vtb_hunt_refine(struct vtb_hunt *hunt, struct vtb_finding *f, struct vtb_shrunk *s,
                    const struct vtb_tuple *empty_below);
/** Seconds that --refine gives, or its default. */
double vtb_hunt_refine_seconds(const struct vtb_hunt *hunt);

/** Its runner is a process runner: what that can tell of its runs is told. */
void vtb_hunt_runs_processes(struct vtb_hunt *hunt);

/** What a reader sees: the run of `schedule`, which was `run`, once more with call stacks, and what it printed, into
 * *f. A run that comes out otherwise is not shown for this one. */
int vtb_hunt_show(struct vtb_hunt *hunt, const struct vtb_schedule *schedule, const struct vtb_exec *run,
                  struct vtb_finding *f);

/** stem_runs.c: is the stem of the program's runs, which begins result->first, so long that searches leave it out
 * (decision 54)? Then hunt->stem is set, until vtb_hunt_end_stem(). 0 or -ENOMEM. */
int vtb_hunt_begin_stem(struct vtb_hunt *hunt);
void vtb_hunt_end_stem(struct vtb_hunt *hunt);
/** That stem, or NULL. */
struct vtb_stem *vtb_hunt_stem(struct vtb_hunt *hunt);
/** A whole run and its schedule become those of the same run without the stem, and the runner makes such runs until
 * vtb_hunt_back(). 1; 0: nothing was done, since there is no stem or it does not fail so; or an error. */
int vtb_hunt_leave_out(struct vtb_hunt *hunt, struct vtb_shrunk *s);
/** Likewise, of a finding, which stays as it is: *ret is its run without the stem, and the runner makes such runs until
 * vtb_hunt_short_end(), which frees *ret. 1; 0: nothing was done, *ret is empty; or an error. */
int vtb_hunt_short_begin(struct vtb_hunt *hunt, const struct vtb_finding *f, struct vtb_shrunk *ret);
void vtb_hunt_short_end(struct vtb_hunt *hunt, struct vtb_shrunk *s);
/** And back. 1; 0: whole it does not fail so, *s is empty; or an error. */
int vtb_hunt_back(struct vtb_hunt *hunt, struct vtb_shrunk *s);
/** A failing run of the search becomes the same run told whole. 1: it does not come again; or an error. */
int vtb_hunt_whole(struct vtb_hunt *hunt, struct vtb_exec *x);

/** Does the baseline know how this run failed? Then it is counted, and no finding. */
bool vtb_hunt_is_known(struct vtb_hunt *hunt, const struct vtb_exec *x);

/** After a run that failed: which test of a test program it was. */
void vtb_hunt_name_test(struct vtb_hunt *hunt, struct vtb_finding *f);

/** The bounds of the options with the defaults filled in. */
/** What the search of such a hunt is asked for, but for the time. */
void vtb_hunt_search_opts(const struct vtb_hunt_opts *opts, struct vtb_search_opts *ret);
struct vtb_tuple vtb_hunt_bound(const struct vtb_hunt_opts *opts);

#endif /* VTB_HUNT_PRIV_H */
