/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file machine.h
 * Executes a schedule on a machine: something whose threads have one pending operation each. What a schedule means
 * (points, policies, deviations, constraints: docs/algorithms.md, "Schedules") is decided here, once, for all simulated
 * programs.
 *
 * Shape:     a point lies between any two operations of the run. At each: the deviations named after the operation just
 *            done, then the policy's choice among the threads whose operation can take place.
 * Ownership: struct vtb_machine_scratch is scratch memory that one runner keeps from run to run.
 */
#ifndef VTB_MACHINE_H
#define VTB_MACHINE_H

#include "sync_model.h"
#include "vtb/exec.h"

struct vtb_machine;
struct vtb_walker;

struct vtb_machine_ops {
	/** Back to the beginning, main born. */
	void (*reset)(struct vtb_machine *m);
	/** The operation that `thread`, alive, is about to do; NULL if it has ended without saying so. */
	const struct vtb_sync_op *(*pending)(const struct vtb_machine *m, uint32_t thread);
	/** Its event, as far as it is known before it takes place. */
	void (*describe)(const struct vtb_machine *m, uint32_t thread, struct vtb_event *ret);
	/** The operation has taken place in m->sync with result `value`: move on; complete the event (value), set
	 * `ended` or a verdict if the run ends with it. */
	void (*step)(struct vtb_machine *m, uint32_t thread, uint64_t value, struct vtb_event *event);
	/** Mix what the machine knows besides m->sync into the fingerprint of the state. NULL: its states cannot be
	 * told. */
	void (*state)(const struct vtb_machine *m, struct vtb_hash128 *ret);
};

/** First member of every machine. */
struct vtb_machine {
	const struct vtb_machine_ops *ops;
	struct vtb_sync sync;
	struct vtb_symtab *tab; /* names; signatures of deadlocks are kept there */
	uint32_t kinds; /* deviations other than switches that it can make: bit 1 << kind. TIMEOUT, SPURIOUS, WAITER,
	                   CAS_FAIL */
	bool fails; /* before step(): the compare-exchange is to fail though it need not (CAS_FAIL); after it: it did */
	uint64_t max_points; /* verdict livelock after so many; 0: VTB_MACHINE_POINTS */
	bool ended;          /* the process has exited */
	bool cut; /* some threads stop before their end: of those that wait then, only a circle means anything */
	struct vtb_outcome outcome; /* verdict other than NONE: the run has failed with the operation just done */
};
#define VTB_MACHINE_POINTS (1u << 28)

struct vtb_machine_scratch {
	struct vtb_machine_thread *threads;
	size_t n_threads, cap_threads;
	uint32_t *fragments; /* fragment number -> place in the list of ranks, or VTB_NONE */
	size_t n_fragments, cap_fragments;
	uint32_t *deviations; /* sorted by thread, operation */
	size_t n_deviations, cap_deviations;
	uint32_t *constraints; /* sorted by thread, operation, of `after` */
	size_t n_constraints, cap_constraints;
	uint64_t rng;
	struct vtb_walker *walkers; /* policies pos and surw: by thread */
	uint64_t *totals;           /* surw, by thread: interesting operations of it and of all it creates */
	size_t n_walkers, cap_walkers;
	uint64_t *waiting; /* threads with an open entry in vtb_exec.waits */
	size_t n_waiting, cap_waiting;
	uint8_t forced_kind; /* the next event takes place by this deviation: TIMEOUT, SPURIOUS; 0 none */
	uint32_t intended;
	uint32_t demotions;
	uint32_t missed; /* deviations that did not find their place */
	uint32_t passed; /* deviations whose place was reached */
	bool states;     /* tell states (vtb_exec.states) */
};

/** Run `s` on `m` and fill `x`, whose arrays are reused. 0 or -ENOMEM. O(points * threads). */
int vtb_machine_run(struct vtb_machine_scratch *d, struct vtb_machine *m, const struct vtb_schedule *s,
                    struct vtb_exec *x);
void vtb_machine_scratch_fini(struct vtb_machine_scratch *d);

/* ---- machine_walk.c: policies pos and surw (vtb/walk.h) */
int vtb_machine_walk_begin(struct vtb_machine_scratch *d, const struct vtb_machine *m, const struct vtb_schedule *s);
/** One of the threads in `row` (those that can go on; at least one). */
uint32_t vtb_machine_walk(struct vtb_machine_scratch *d, const struct vtb_machine *m, const struct vtb_schedule *s,
                          const uint64_t *row);
/** Visible operations that the thread has done in this run. */
uint32_t vtb_machine_done(const struct vtb_machine_scratch *d, uint32_t thread);

#endif /* VTB_MACHINE_H */
