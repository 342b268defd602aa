/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file runner.h
 * One interface, two worlds: something that executes schedules. replay/ implements it on the real program, synth/'s
 * simulate on a recorded trace taken as straight-line threads with real synchronisation.
 *
 * Ownership: the caller owns schedules and executions; the runner owns the symbol table, which grows but keeps its ids.
 * Errors:    a run that fails, deadlocks or diverges is no error: see outcome. Errors are trouble of our own
 *            (-VTB_E_TARGET: the program cannot be started; -ENOMEM).
 */
#ifndef VTB_RUNNER_H
#define VTB_RUNNER_H

#include "vtb/exec.h"
#include "vtb/schedule.h"
#include "vtb/stop.h"

#include <errno.h>

struct vtb_runner;
struct vtb_stem; /* vtb/exec_stem.h */

struct vtb_runner_ops {
	const char *name; /* "process", "simulated" */
	/** Execute schedules[0..n) and fill execs[0..n), in order. Several may run at once. All or nothing on error,
	 * but for -ECANCELED: its `stop` has said so, and execs[0..runner->done) are there. */
	int (*run)(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
	           struct vtb_exec *execs, struct vtb_error *err);
	/** How many schedules a call of run() likes to get. */
	size_t (*batch)(const struct vtb_runner *runner);
	void (*free)(struct vtb_runner *runner);
	/** See vtb_runner_quiet(); NULL: all accesses are always seen. */
	int64_t (*quiet)(struct vtb_runner *runner, uint8_t *quiet, size_t n);
	/** A fingerprint of how runs are made now, beside what their schedules and the members below say: runs of equal
	 * schedules made alike are equal. VTB_RUNNER_ONLY_MADE: more than executions is wanted of them. NULL: 0. */
	uint64_t (*manner)(const struct vtb_runner *runner);
	/** What it has learnt from its runs that bears on how later ones go, as words for the runner of another process
	 * of the same program: a fresh array, freed by the caller, in *ret; NULL if there is no memory. Returns how
	 * many. */
	size_t (*learnt)(const struct vtb_runner *runner, uint64_t **ret);
	/** Take that over; what makes no sense is left. */
	void (*learn)(struct vtb_runner *runner, const uint64_t *words, size_t n);
	/** Somebody else has added names to the table: know them. NULL: needs not be told. 0 or an error. */
	int (*named)(struct vtb_runner *runner);
};
#define VTB_RUNNER_ONLY_MADE UINT64_MAX

/** Who stands before a runner and has answers of earlier runs (vtb/keeper.h). First member of what it is. */
struct vtb_keeper {
	/** As vtb_runner_ops.run. */
	int (*run)(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
	           struct vtb_exec *execs, struct vtb_error *err);
	/** quiet[i] is not 0: accesses made at site i are not looked at from here on. */
	void (*quiet)(struct vtb_runner *runner, const uint8_t *quiet, size_t n);
};

/** First member of every implementation. */
struct vtb_runner {
	const struct vtb_runner_ops *ops;
	struct vtb_symtab *tab;
	uint64_t schedules; /* executed so far */
	bool states;        /* by its user: runs are to tell their states (exec.h), if they can */
	bool owned; /* by its user: brief schedules of the policies random and pos may pass over what a thread owns, and
	               where runs do much sparse ones of all policies without constraints */
	/** By its user: runs are told without it, and schedules are of such runs. Of runs that have another one the
	 * outcome says VTB_OUT_DIVERGED. Borrowed; NULL: runs are told whole. Changed by vtb_runner_quiet(). */
	struct vtb_stem *stem;
	uint64_t longest; /* by its user: points after which a run is cut off, if it was not opened with fewer; 0: as it
	                     was opened */
	bool real_time;   /* of itself: clocks are the system's, so the same choices need not lead to the same run */
	bool sparse_pays; /* of itself: there was a run of so much that sparse schedules may do so, too */
	bool long_runs;   /* of itself: and one so long that it is better told ten times like that than once whole */
	bool tell_all;    /* by its user: brief schedules are as good as others, every run is told in full */
	uint64_t told_to; /* by its user: when it changes, prints (exec.h) begin anew */
	uint64_t prints;  /* given out so far */
	uint64_t lessons; /* changes whenever it learns what its ops tell by `learnt`; 0: nothing so far */
	/** By its user: executions [0, n) of the call of run() that is under way are as they will be; they may be read.
	 * Called by run(), or never; must not use the runner. NULL: nobody wants to know. */
	void (*ready)(struct vtb_runner *runner, size_t n);
	void *ready_data;
	/** By its user, in ready(): so many schedules there are by now in the arrays of that call, which have room for
	 * their executions, too. run() may go on with them. 0: no more than before. */
	size_t asked;
	size_t made; /* by run(): how many of those it has gone on with, beyond those of the call */
	/** By its user: is this failing run, in which a thread's own accesses are told by their number (exec.h, owned),
	 * enough? NULL: every run that fails is to be told operation by operation. */
	bool (*enough)(struct vtb_runner *runner, const struct vtb_exec *x);
	void *enough_data;
	bool more;                 /* by its keeper: the next call goes on with what is one batch to whoever asks */
	struct vtb_keeper *keeper; /* borrowed; NULL: whatever is asked for is run */
	struct vtb_stop *stop;     /* borrowed; NULL: runs are made whatever they take */
	size_t done;               /* after -ECANCELED: how many executions of that call are there */
};

static inline bool vtb_runner_any_will_do(struct vtb_runner *runner, const struct vtb_exec *x)
{
	(void)runner;
	(void)x;
	return true;
}

/** By its user, outside of searches: from here on long runs of sparse schedules are told by what threads share, also if
 * they fail; or (`little` false) whole again. */
static inline void vtb_runner_tell_little(struct vtb_runner *runner, bool little)
{
	runner->owned = little;
	runner->enough = little ? vtb_runner_any_will_do : NULL;
}

/** Execute them, and what is asked for on the way. The first *ret_done are the caller's: all, or on -ECANCELED some. */
static inline int vtb_runner_run_some(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                                      struct vtb_exec *execs, size_t *ret_done, struct vtb_error *err)
{
	int r;

	runner->asked = runner->made = 0;
	r = runner->keeper ? runner->keeper->run(runner, schedules, n, execs, err)
	                   : runner->ops->run(runner, schedules, n, execs, err);
	*ret_done = r == 0 ? n + runner->made : r == -ECANCELED ? runner->done : 0;
	return r;
}

/** Execute them, all or none. */
static inline int vtb_runner_run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                                 struct vtb_exec *execs, struct vtb_error *err)
{
	size_t done;
	const int r = vtb_runner_run_some(runner, schedules, n, execs, &done, err);

	for (size_t i = 0; r < 0 && i < done; i++) {
		vtb_exec_fini(&execs[i]);
		execs[i] = (struct vtb_exec){ 0 };
	}
	return r;
}

/** From the next run on do not look at plain accesses made at the sites `i` < n of the symbol table for which quiet[i]
 * is not 0 (n = 0: look at all): they are no operations, have no schedule points and no numbers, and cost next to
 * nothing. Sites that no run has shown yet are always looked at, and so are those that cannot be told apart from others
 * (returns from a function): their quiet[i] is cleared. Returns how many places of the program are now quiet; 0 if the
 * runner cannot do it. O(sites), and the program's code is changed: worth it for some 64 runs. */
static inline int64_t vtb_runner_quiet(struct vtb_runner *runner, uint8_t *quiet, size_t n)
{
	const int64_t r = runner->ops->quiet ? runner->ops->quiet(runner, quiet, n) : 0;

	if (runner->keeper)
		runner->keeper->quiet(runner, quiet, r > 0 ? n : 0);
	return r;
}

/** From here on every run is made, until *before is put back. */
static inline struct vtb_keeper *vtb_runner_only_make(struct vtb_runner *runner)
{
	struct vtb_keeper *before = runner->keeper;

	runner->keeper = NULL;
	return before;
}

static inline void vtb_runner_free(struct vtb_runner *runner)
{
	if (runner)
		runner->ops->free(runner);
}

#endif /* VTB_RUNNER_H */
