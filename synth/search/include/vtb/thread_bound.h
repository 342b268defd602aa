/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file thread_bound.h
 * t of a failing run (docs/algorithms.md, "The thread bound t"): the size of the smallest set S of threads such that
 * every schedule that keeps the failing order among the operations of S fails with the same signature, wherever the
 * other threads run.
 *
 * Method:    the order of S is kept by constraints. The others run as early as they can, as late as they can, and at
 * random places (each comes on only after a random operation of S). Placements that creation, joins or locks make
 *            infeasible do not count and are drawn again. If S itself does something else because of where the others
 * run, orders of operations that then do not take place count as kept, and the run must fail like any other. Threads
 * are first taken out of S one by one while it stays sufficient; then every smaller set is tried, as long as there are
 * few. Result:    t is a lower bound in so far as a placement that was not tried might not fail. Cost:      about 22
 * schedules for each set that is tried.
 */
#ifndef VTB_THREAD_BOUND_H
#define VTB_THREAD_BOUND_H

#include "vtb/runner.h"

struct vtb_thread_bound_opts {
	uint64_t seed;
	uint32_t placements;      /* random ones for each set; 0: 20 */
	uint64_t budget;          /* schedules; 0: VTB_THREAD_BOUND_BUDGET */
	bool (*stop)(void *data); /* asked before each set; NULL: never */
	void *data;
};
#define VTB_THREAD_BOUND_BUDGET 2000u

struct vtb_thread_bound {
	uint32_t t;        /* >= 2; 0: not even all threads of the run suffice (it does not fail again in this order) */
	uint32_t *threads; /* S: t thread ids, ascending; owned */
	uint64_t runs;     /* schedules executed */
	bool ended_early;  /* budget or stop(): t is an upper bound */
};

void vtb_thread_bound_fini(struct vtb_thread_bound *b);

/** 0, or an error of the runner or -ENOMEM. `failing` is a run of this runner whose verdict is a failure. */
int vtb_thread_bound(struct vtb_runner *runner, const struct vtb_exec *failing,
                     const struct vtb_thread_bound_opts *opts, struct vtb_thread_bound *ret, struct vtb_error *err);

#endif /* VTB_THREAD_BOUND_H */
