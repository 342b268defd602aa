/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file fake_program.h
 * A runner for tests: a small program, written as a table of operations, executed step by step under a schedule exactly
 * as docs/algorithms.md defines points, deviations and policies. Shares no code with the simulated or the real runner.
 */
#ifndef VTB_FAKE_PROGRAM_H
#define VTB_FAKE_PROGRAM_H

#include "vtb/runner.h"

#define FAKE_THREADS_MAX 8
#define FAKE_VARS_MAX 8

enum fake_code {
	FAKE_END,   /* of a thread; main: the end of the process */
	FAKE_READ,  /* register = var */
	FAKE_WRITE, /* var = register */
	FAKE_SET,   /* register = arg (invisible) */
	FAKE_ADD,   /* register += arg (invisible) */
	FAKE_LOCK,
	FAKE_UNLOCK,
	FAKE_WAIT,   /* condition var, mutex arg; two operations */
	FAKE_SIGNAL, /* condition var */
	FAKE_CREATE, /* thread arg */
	FAKE_JOIN,   /* thread arg */
	FAKE_FREE,   /* var */
	FAKE_CHECK,  /* fails unless register == arg (invisible if it holds) */
	FAKE_SKIP0,  /* if register == 0 skip the next arg operations (invisible) */
};

struct fake_op {
	enum fake_code code;
	uint32_t var;
	int64_t arg;
};

struct fake_program {
	const struct fake_op
	    *threads[FAKE_THREADS_MAX]; /* [0] is main; the others are created by it, or by who says so */
	uint32_t n_threads;
	const char *vars[FAKE_VARS_MAX];
	uint32_t n_vars;
};

struct fake_runner {
	struct vtb_runner base;
	struct vtb_symtab tab;
	const struct fake_program *program;
	size_t batch_size;      /* 0: 1 */
	uint64_t fail_after;    /* a run past this many returns -VTB_E_TARGET; 0: never */
	bool forgetful;         /* from the second run of an equal schedule on, nothing fails: a target that is not
	                           deterministic */
	uint64_t diverge_every; /* flag every n-th run as diverged; 0: none */
};

/** Set up; end with vtb_runner_free(&fake->base). */
void fake_runner_init(struct fake_runner *fake, const struct fake_program *program);

/** Run one schedule (NULL: the default one); the caller ends the execution. */
struct vtb_exec fake_run(struct fake_runner *fake, const struct vtb_schedule *schedule);

/** The run in which random choices with seeds from `seed` on fail first. */
struct vtb_exec fake_find(struct fake_runner *fake, uint64_t seed);

/** Two threads that deposit without a lock; main checks the sum: (1,1,2). */
extern const struct fake_program fake_account;
/** The same with a lock around both: correct. */
extern const struct fake_program fake_account_locked;
/** Two locks taken in opposite order: (1,1,2), deadlock. */
extern const struct fake_program fake_lock_cycle;
/** The creator sets a variable only after the creation: (0,0,2). */
extern const struct fake_program fake_late_init;
/** A signal that may come before the wait: lost wake-up. */
extern const struct fake_program fake_lost_signal;
/** Needs two switches at two variables: (2,2,2). */
extern const struct fake_program fake_two_windows;
/** Fails whatever the schedule. */
extern const struct fake_program fake_always;
/** Has one thread. */
extern const struct fake_program fake_sequential;

#endif /* VTB_FAKE_PROGRAM_H */
