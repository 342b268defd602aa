/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file hunt.h
 * The main job: run a program under one schedule after another, in the order of (l, c, v), until one fails;
 * then shrink that schedule, confirm it, explain it, write it down. Or say what was explored without a failure.
 *
 * Shape:     options in, one result out. The result holds all that the verdict block (vtb/hunt_report.h) and --json
 * show. Ownership: options are borrowed during the call. The result owns everything; vtb_hunt_result_fini(). Errors: a
 * finding, or none, is no error. -ENOENT, -EACCES, -ENOEXEC: no such program; -VTB_E_TARGET: it could not be started
 * under control; -EINVAL: options that contradict each other (err says which). Threads:   call from one thread;
 * `*interrupted` and `*aborted` may be changed by a signal handler.
 */
#ifndef VTB_HUNT_H
#define VTB_HUNT_H

#include <signal.h>

#include "vtb/baseline.h"
#include "vtb/consent.h"
#include "vtb/error.h"
#include "vtb/exec.h"
#include "vtb/failure.h"
#include "vtb/replay.h"
#include "vtb/runner.h"
#include "vtb/runner_options.h"
#include "vtb/search.h"
#include "vtb/suspicion.h"
#include "vtb/weak_orders.h"

/** What a hunt is doing, for the progress line. */
enum vtb_hunt_phase {
	VTB_HUNT_STARTING,
	VTB_HUNT_FIRST_RUNS,
	VTB_HUNT_SEARCHING,
	VTB_HUNT_SHRINKING,
	VTB_HUNT_LOWERING,
	VTB_HUNT_CONFIRMING,
	VTB_HUNT_EXPLAINING,
	VTB_HUNT_PHASES
};

struct vtb_hunt_progress {
	enum vtb_hunt_phase phase;
	uint64_t schedules;
	double seconds;
	double rate;      /* schedules per second over the last moments */
	uint32_t l, c, v; /* bound being searched */
	uint32_t findings;
	bool draining; /* interrupted once: finishing what is under way */
};

/** What whoever has a hunt made as a part of another one (vtb/items.h) wants to see of it. */
struct vtb_hunt_part {
	/* after the run of the default schedule: 1: it is not to go on; or an error */
	int (*first)(const struct vtb_exec *x, const struct vtb_symtab *tab, void *data);
	/* a run of a class not met before; an error ends the hunt */
	int (*new_class)(const struct vtb_exec *x, const struct vtb_symtab *tab, void *data);
	void *data;
};

/** The search is made as work items (vtb/items.h). */
struct vtb_hunt_items {
	const char *cluster; /* tcp://HOST:PORT of Dask's scheduler; NULL: here, one after another */
	const char *list;    /* file with the items; NULL: as what was found so far suggests */
	const char *results; /* file to which each result goes, a line each; NULL: none */
};

struct vtb_finding;
struct vtb_hunt_result;
struct vtb_hunt_opts {
	char *const *argv;   /* program and arguments, NULL-terminated */
	const char *cwd;     /* NULL: the current directory */
	const char *out_dir; /* failure.json, order.svg, order.dot go there; NULL: the current directory; they are
	                        written only on a find */
	struct vtb_search_opts search; /* c, v, t, l VTB_HUNT_DEFAULT: 2, 2, 2, 0; strategy NULL: portfolio; seconds 0:
	                                  VTB_HUNT_TIME, for all of it */
	struct vtb_runner_opts runner; /* tier watch: variables are chosen and watched; timeout_s 0: 10 s, or more if
	                                  the program takes longer by itself */
	const char
	    *profile; /* tier watch: directory of a qemu recording from which variables are chosen; NULL: sample */
	const char *verify_fix; /* a failure.json: does it still happen? Replay its schedule by names, then hunt around
	                           it; argv may be NULL then: the recorded one */
	struct vtb_consent consent;               /* to run the recorded command */
	const struct vtb_schedules *candidates;   /* schedules to try by names before the search, e.g. from a recording;
	                                             asks the same question as verify_fix; NULL: none */
	const struct vtb_symtab *recorded;        /* modules of the build that they are of; NULL: those of candidates */
	const char *candidates_signature;         /* of the failure that they are about; NULL: unknown */
	const struct vtb_failure *candidates_of;  /* that failure; NULL: unknown */
	const struct vtb_tuple *candidates_level; /* its (c, v, t); NULL: unknown */
	bool candidates_always;                   /* it came in every schedule that was tried */
	bool real_time;                           /* clocks and sleeps are the system's, not virtual */
	const struct vtb_kept_input *input;       /* standard input as a failure.json has kept it; NULL: ours */
	bool keep_going; /* go on after the first failure, until the bound or the time is reached: all different
	                    signatures */
	bool no_canary;  /* skip the check of the machinery on a planted race: for tests of vtb itself */
	bool no_files;   /* write nothing */
	/* seconds that may go into finding a simpler order of a proved failure; below 0: VTB_HUNT_REFINE of the time,
	   at most VTB_HUNT_REFINE_MAX */
	double refine;
	uint32_t memory_mb; /* that this process may hold before the hunt ends; 0: half of what is free at its begin */
	const char *state_dir; /* what is run is kept there, and what was kept there before is not run again; NULL:
	                          nothing is */
	char *const *state_options, *const
	                                *state_argv; /* with it: the hunt's options and program, as they were typed */
	uint64_t max_disk;                           /* bytes that the hunt may write; 0: no limit */
	bool keep_failures; /* at the end of a hunt that has come to its end its state is removed */
	uint32_t confirm;   /* replays of a shrunk schedule; 0: VTB_HUNT_CONFIRM */
	const volatile sig_atomic_t
	    *interrupted;                     /* not 0: stop searching, shrink and report what is there; NULL: none */
	const volatile sig_atomic_t *aborted; /* not 0: give up at once with -EINTR; NULL: none */
	void (*progress)(const struct vtb_hunt_progress *progress, void *data); /* at most every 100 ms; NULL: none */
	/* a failure was proved, and up to so many seconds will go into a simpler order; `result` is as it is by then;
	 * or NULL */
	void (*found)(const struct vtb_hunt_result *result, const struct vtb_finding *finding, double seconds,
	              void *data);
	void *data;
	/* asked while searching: is that enough? Then the search ends as if its time were over; NULL: it is not */
	bool (*enough)(const struct vtb_search_stats *stats, double seconds, void *data);
	void *enough_data;
	const struct vtb_hunt_items *items; /* NULL: it is one search, here */
	const struct vtb_hunt_part *part;   /* NULL: it is a hunt by itself */
	struct vtb_baseline *baseline;      /* failures that are known: gone past, and noted in it; NULL: none are */
};
#define VTB_HUNT_REFINE 0.2
#define VTB_HUNT_REFINE_MAX 10.0
#define VTB_HUNT_DEFAULT UINT32_MAX /* as VTB_UNBOUNDED in facts.bound */
#define VTB_HUNT_TIME 60.0
#define VTB_HUNT_CONFIRM 3u

/** One failure, shrunk and confirmed. Ids are those of the result's runner. */
struct vtb_finding {
	struct vtb_schedule schedule; /* explicit, operations named */
	struct vtb_exec exec;         /* its run */
	struct vtb_exec shown;        /* the same, with operations at the user's own lines; empty: not known */
	struct vtb_said said;         /* what it printed */
	struct vtb_tuple tuple;       /* of that run, t included if it could be worked out, else 0 */
	bool minimal; /* every schedule with a lower (c, v) was run, or there is none: it is the least */
	bool t_known;
	bool regardless;             /* it fails so in every schedule that was tried: no order is to blame */
	bool refining;               /* proved, and a simpler order is still looked for */
	uint64_t schedule_number;    /* how many had run when it was first seen */
	uint32_t confirmed, replays; /* replays with the same signature, replays made */
	uint32_t strayed;            /* replays that did not follow the schedule to the letter */
	uint32_t first_c;            /* preemptions of the run in which it was seen first */
	bool predicted;              /* from runs in which it did not happen; a schedule made for it then showed it */
	char *test; /* the test that failed, by the output of a test program (vtb/test_list.h); owned, NULL: none is
	               named there */
	struct vtb_failure
	    *heap; /* verdict memory: what failure.json says, with the stacks of the block; owned, NULL: unknown */
	char *failure_path; /* files written, or NULL */
	char *svg_path, *dot_path;
	char *trouble;     /* why one of them is missing, or NULL */
	size_t variant_of; /* number, from 1, of an earlier finding with the same cause; 0: it stands for itself */
	char **variants;   /* those of it, a sentence each, NULL-terminated; owned, NULL none */
	struct vtb_causes causes; /* which orders are enough for it; runs 0: not looked for */
};

/** Kinds of deviation that the search explored: bit 1 << enum vtb_deviation_kind. */
#define VTB_HUNT_KIND(kind) (1u << (kind))

/** What became of files that a starter has changed before it started the program. */
enum vtb_starter_files {
	VTB_STARTER_NONE,    /* there are none */
	VTB_STARTER_SEEN,    /* runs find them so, and nobody else */
	VTB_STARTER_UNSEEN,  /* nobody finds them so: nothing is proved */
	VTB_STARTER_THROUGH, /* if there are any, everybody finds them so */
};

/** What has become of the state of a hunt (docs/format/state.md). */
struct vtb_hunt_state_facts {
	const char *dir;       /* NULL: it keeps none */
	uint64_t answered;     /* runs that were not made, since they were kept */
	uint64_t made_again;   /* of those, to see whether they come out as they did */
	uint64_t added, bytes; /* runs that were added, and what all of it takes */
	bool full;             /* it is as large as it may be: what came then was not kept */
	bool open;             /* the hunt did not come to its end: there is something to resume */
	bool removed;          /* it is gone, as was asked for */
	char trouble[400];     /* why not all was kept; "" it was */
};

/** What the statement rests on. Strings are static or owned by the result. */
struct vtb_hunt_facts {
	const char *focus_var, *focus_function; /* of the options; the caller's */
	bool focus_met;                         /* some run had what they name */
	uint32_t focus_free;                    /* enum vtb_focus_kind: those that did not bound the search */
	uint64_t schedules;                     /* all that were executed, shrinking and replays too */
	uint64_t search_schedules;              /* those of the search */
	uint64_t classes;                       /* distinct Mazurkiewicz traces among the search's runs */
	uint64_t
	    partial; /* schedules of the search run without looking at all accesses; `classes` does not count them */
	uint64_t redone;           /* such runs that were made again, looking at all */
	const char *selective_off; /* why that was given up; NULL: it was not */
	uint64_t blocked;          /* runs whose constraints could not be met */
	uint64_t diverged;
	uint64_t unread;           /* runs whose records made no sense or did not all fit */
	uint64_t printed, outputs; /* passing runs of the search whose output is known, and how many different ones */
	bool outputs_more;         /* more different ones than were told apart */
	bool expects_output;       /* --expect-output: other output is a failure */
	uint64_t known;            /* failing runs that the baseline knows: neither findings nor passed */
	uint64_t not_again;        /* failing runs that did not come again from their own schedule */
	double seconds;
	const char *tier, *carrier, *engine, *strategy;
	const char *dirty;       /* how engine snapshot finds changed pages, as --dirty has it; NULL: another engine */
	char engine_reason[300]; /* why a faster engine was left, or not taken; "": it was not */
	uint64_t seed;
	struct vtb_tuple bound; /* asked for: l, c, v, t; VTB_HUNT_DEFAULT: none */
	struct vtb_tuple done;  /* every level up to this one was finished */
	bool enumerated;        /* `done` means something: the strategy enumerates levels */
	bool pruned;            /* what cannot matter to a failure was left out of it */
	bool by_orders; /* `done` holds for priority orders (struct vtb_claim, orders_c), not for every free choice */
	struct vtb_tuple orders; /* all that priority orders of t threads show up to this level was run; t 0: nothing */
	uint32_t explored;       /* kinds of deviation other than switches that were tried wherever possible */
	bool assumed;    /* a thread was held back as if it spun though its state did not repeat: nothing is complete */
	bool zero_done;  /* the least that the strategy can complete is complete (struct vtb_claim, least): c = 0 if it
	                    has levels */
	bool complete;   /* every enabled choice with c(trace) <= bound.c was enumerated */
	uint64_t always; /* verdict regardless: schedules after which it had failed in all */
	const struct vtb_kept_input *input; /* that was piped in; NULL: nobody has looked */
	bool always_open;    /* the default schedule fails, and there was no time to see whether all others do */
	const char *stopped; /* why the search ended: "bound", "time", "budget", "interrupt", "found", "strategy",
	                        "stuck", "contradiction", "memory" */
	char
	    *items; /* the search was made as items: which of them were completed, sentences; owned, NULL: it was not */
	char *arguments;      /* sentences of the strategy: what was pruned and why, odds; owned, may be NULL */
	uint32_t run_limit_s; /* a run was given so many seconds, because the program takes long by itself; 0: the usual
	                         time */
	char *stuck;          /* what the first run of the search that had to be stopped was doing; owned, NULL: none */
	uint32_t kinds;       /* VTB_HUNT_KIND() */
	uint32_t threads;     /* most threads in a run, main included */
	uint64_t points;      /* most schedule points in a run */
	uint64_t accesses;    /* memory accesses that came through a hook in the first run */
	bool blind;           /* accesses of its code had no hooks that it was built to have: nothing is complete */
	bool untold;          /* its code makes accesses without a hook, named in `unhooked`, or nobody has looked */
	bool lent;            /* parts of variables on the stack are shared, and may have no hooks (vtb_process_info) */
	uint64_t operations;  /* visible synchronisation operations in the first run */
	bool little_told;     /* of the first run only what threads share; the rest counts as accesses */
	uint32_t uncontrolled; /* VTB_UNC_* of vtb/wire.h, of all runs */
	char *starter; /* the file that was given, which only starts the program that was hunted; owned, NULL: that is
	                  the one given */
	enum vtb_starter_files starter_files; /* what it has changed in files before */
	char *watched;     /* tier watch: which variables, and how they were chosen; owned, NULL: another tier */
	char **unhooked;   /* modules whose accesses are not seen, NULL-terminated; owned, may be NULL */
	const char *files; /* where what runs wrote went: "mounts" or "user" (a private view, by mounts alone or in a
	                      user namespace), "plain" (where it goes without us, and what was made was removed), "kept"
	                      (--keep-files); "none": no run was allowed to write */
	char files_trouble[400]; /* why "plain"; "" else */
	bool output_cut;         /* outputs are compared, and of one not all was kept */
	bool chance;             /* it asked the system for what need not be the same in the next run */
	char torn[64];           /* a variable whose accesses race, one of them of more than 8 bytes: it was one step */
	bool torn_unseen;        /* not every run was looked at for such accesses */
	enum vtb_weak weak;      /* does an interleaving show all that may come of its atomics? */
	char weak_at[600];       /* and where not; "": nowhere, or that is not known */
	bool unsettled;          /* runs may have differed by files and not by their schedules: nothing is proved */
	uint64_t cross_checked;  /* runs that were repeated on the next slower engine, with the same outcome */
	bool canary;             /* the planted race was controlled */
	bool reads_from;         /* a class is: every operation reads from the same writes */
	bool symmetry;           /* threads that look alike may have stood for each other */
	bool match_states;       /* what follows a state was run once: */
	uint64_t states;         /* so many different ones were gone on from */
	uint64_t states_met;     /* and so often one of them was met again */
	uint32_t follow;         /* as asked for */
	bool followed;           /* and some run came to it */
	bool real_time;          /* clocks and sleeps were the system's */
	struct vtb_hunt_state_facts state;
};

/** Is a failure that was found before still there? */
enum vtb_fix_answer { VTB_FIX_NOT_ASKED, VTB_FIX_FIXED, VTB_FIX_STILL_FAILS, VTB_FIX_CANNOT_TELL };

struct vtb_fix {
	enum vtb_fix_answer answer;
	enum vtb_build build;     /* is it that of the saved schedules? */
	bool applicable;          /* every operation of a saved schedule was found again */
	uint32_t tried;           /* saved schedules that were run */
	uint32_t hit;             /* the one that failed, from 1; 0: none of them */
	char *signature;          /* of the failure in question; owned */
	char *told;               /* the same in words; owned, NULL: unknown */
	struct vtb_tuple level;   /* of the failure: fixed, and the search was not complete: nothing up to it fails */
	bool by_level, by_orders; /* `level` means something; of it, priority orders were run, not every free choice */
	char **notes; /* on operations that moved, changed or are gone: a sentence each, NULL-terminated; owned, may be
	                 NULL */
};

struct vtb_hunt_result {
	enum vtb_verdict verdict;     /* of the first finding, or none, sequential, regardless, nothing-controlled */
	struct vtb_finding *findings; /* in the order in which they were seen */
	size_t n_findings, cap_findings;
	struct vtb_exec first; /* the run of the default schedule */
	struct vtb_suspicions
	    suspects; /* what runs that passed let one fear and no schedule has confirmed; never a verdict */
	struct vtb_suspicions warnings; /* accesses without the lock that is held elsewhere; never a verdict */
	struct vtb_hunt_facts facts;
	char *advice;         /* nothing-controlled and the like: what to do, a sentence or two; owned, may be NULL */
	char *replay_command; /* owned, NULL if nothing was written */
	struct vtb_fix fix;   /* opts->verify_fix or candidates */
	bool put_aside;       /* failure.json of an earlier hunt has another name now, as this one has found nothing */
	char spared[4096]; /* the last file of somebody else's that was where one of ours was to be: its name now, or ""
	                    */
	char **argv;       /* owned copy */
	struct vtb_runner *runner; /* owned: its table holds the names */
};

/** The run that is told and drawn. */
static inline const struct vtb_exec *vtb_finding_run(const struct vtb_finding *f)
{
	return f->shown.n_events ? &f->shown : &f->exec;
}

/** Every option at its default. */
void vtb_hunt_opts_init(struct vtb_hunt_opts *opts);
int vtb_hunt_run(const struct vtb_hunt_opts *opts, struct vtb_hunt_result *ret, struct vtb_error *err);
void vtb_hunt_result_fini(struct vtb_hunt_result *result);

/** 0 nothing found within the bound, 1 a bug, 3 the run proves nothing; of a fix: 0 fixed, 1 it fails, 3 cannot tell.
 */
int vtb_hunt_exit_code(const struct vtb_hunt_result *result);

#endif /* VTB_HUNT_H */
