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

struct vtb_runner;

struct vtb_runner_ops {
	const char *name; /* "process", "simulated" */
	/** Execute schedules[0..n) and fill execs[0..n), in order. Several may run at once. All or nothing on error. */
	int (*run)(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n, struct vtb_exec *execs, struct vtb_error *err);
	/** How many schedules a call of run() likes to get. */
	size_t (*batch)(const struct vtb_runner *runner);
	void (*free)(struct vtb_runner *runner);
};

/** First member of every implementation. */
struct vtb_runner {
	const struct vtb_runner_ops *ops;
	struct vtb_symtab *tab;
	uint64_t schedules; /* executed so far */
};

static inline int vtb_runner_run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n, struct vtb_exec *execs, struct vtb_error *err)
{
	return runner->ops->run(runner, schedules, n, execs, err);
}

static inline void vtb_runner_free(struct vtb_runner *runner)
{
	if (runner)
		runner->ops->free(runner);
}

#endif /* VTB_RUNNER_H */
