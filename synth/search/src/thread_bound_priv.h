/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file thread_bound_priv.h
 * The search for the thread bound t (thread_bound.c), and the schedules that it tries (thread_bound_schedule.c).
 */
#ifndef VTB_THREAD_BOUND_PRIV_H
#define VTB_THREAD_BOUND_PRIV_H

#include "vtb/thread_bound.h"

/* An operation of the failing run. */
struct thread_bound_step {
	uint32_t thread, index;
	uint8_t deviation; /* it took place by this kind of deviation, no switch; 0 none */
	uint8_t kind;
	uint16_t place; /* WAITER */
	uint32_t var;
};

struct thread_bound_state {
	struct vtb_runner *runner;
	const struct vtb_exec *failing;
	const struct vtb_thread_bound_opts *opts;
	struct vtb_thread_bound *ret;
	struct vtb_error *err;
	struct thread_bound_step *steps; /* all operations, in order */
	size_t n_steps, cap_steps;
	uint32_t *ops;   /* operations by thread */
	uint32_t *first; /* thread -> where its rows begin in `rows` */
	uint32_t *rows;  /* operation of a thread -> its place in `steps` */
	uint32_t *done;  /* scratch: operations by thread */
	bool *in;        /* S */
	uint32_t n_threads;
	uint32_t placements;
	uint64_t rng;
	struct vtb_schedule *schedules;
	const struct vtb_schedule **pointers;
	struct vtb_exec *execs;
	size_t batch;
};

/** Make schedule `number` that keeps the order of the operations of S: 0: the others as early as possible; 1: as late
 * as possible; from 2 on: each stops before one of its operations until a random operation of S is done. 0 or -ENOMEM.
 */
int vtb_thread_bound_schedule(struct thread_bound_state *b, uint32_t number, struct vtb_schedule *s);

#endif /* VTB_THREAD_BOUND_PRIV_H */
