/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file predict.h
 * What runs that passed let one fear: accesses that nothing orders (vtb/races.h), accesses without the lock that is
 * held elsewhere (vtb/discipline.h), and circles of the lock-order graph (vtb/lockorder.h). For a circle there is a
 * schedule that shows whether it can deadlock: every thread of it gets its first lock before any of them asks for its
 * second.
 *
 *      constraint i:  thread i has taken lock i   before   thread i-1 takes lock i
 *
 * Which runs:  the first one and those of the search that are of a class not met before, VTB_PREDICT_RUNS of them and
 *              VTB_PREDICT_EVENTS events in all, so that a long search pays no more than a bounded price.
 * Cost:        that of vtb_races_of() and vtb_lockorder_of() on each of them.
 * Source:      [DEADLOCKFUZZER09]: predict from one run, steer another one into the circle.
 */
#ifndef VTB_PREDICT_H
#define VTB_PREDICT_H

#include "vtb/exec.h"
#include "vtb/exec_stem.h"
#include "vtb/map64.h"
#include "vtb/suspicion.h"
#include "vtb/weak_orders.h"

struct vtb_story; /* story.h */

#define VTB_PREDICT_RUNS 64u
#define VTB_PREDICT_EVENTS 1000000u
#define VTB_PREDICT_RACES 200u           /* kept */
#define VTB_PREDICT_CYCLES 50u           /* kept */
#define VTB_PREDICT_WARNINGS 200u        /* kept */
#define VTB_PREDICT_WEAK_STEPS 4000000u  /* of vtb/weak_orders.h, some 40 ms: what is left then is said to be unseen */
#define VTB_PREDICT_TORN_STEPS 20000000u /* of accesses looked up, 10 to 20 ns each */
#define VTB_PREDICT_SHOWN 4u             /* runs that are made again to tell of the user's lines */
#define VTB_PREDICT_TRIES \
	8u /* schedules made for one circle: one that runs to block, the others random, all constrained */

struct vtb_predicted_cycle {
	struct vtb_suspicion suspicion;
	struct vtb_schedule schedule; /* run-to-block with the constraints above; operations by index */
	bool confirmed;               /* a schedule made for it fails */
};

struct vtb_predictions {
	struct vtb_suspicions races, warnings;
	uint32_t raced_by[VTB_PREDICT_RACES]; /* of each race: likewise; until what a failure explains is left out */
	uint32_t
	    warned_by[VTB_PREDICT_WARNINGS]; /* of each warning: the run that has shown it, in `warned`, or VTB_NONE */
	struct vtb_schedule warned[VTB_PREDICT_SHOWN];
	uint32_t n_warned; /* the first runs that have shown new ones, of races in a library's own lines */
	struct vtb_predicted_cycle *cycles;
	size_t n_cycles, cap_cycles;
	size_t next;                 /* first circle for which nothing was tried yet */
	const struct vtb_stem *stem; /* runs are shown without it, schedules are made for whole ones; NULL: neither */
	uint32_t runs;
	uint64_t events;
	char torn[64];       /* the variable of a race of an access of more than 8 bytes, plain: "" there is none */
	bool torn_unseen;    /* not every run was looked at for one */
	uint64_t torn_steps; /* spent on it, of VTB_PREDICT_TORN_STEPS */
	enum vtb_weak weak;  /* the best to tell of what the runs were told to be */
	char weak_at[600];   /* places of that, "": none */
	bool weak_seen, large_seen;      /* some run had such operations, or such accesses */
	uint64_t weak_steps;             /* spent on it, of VTB_PREDICT_WEAK_STEPS */
	struct vtb_map64 beyond_classes; /* those that were looked at for both */
	struct vtb_schedule weak_run;    /* the run that has shown it: TWO and MANY */
	bool full;                       /* something was left out because of a limit */
};

/** Take up what a run shows; runs that failed are left out. Ids are those of `tab`. 0 or -ENOMEM. */
int vtb_predict(struct vtb_predictions *p, const struct vtb_exec *x, const struct vtb_symtab *tab);
/** Of those races of a run that is `x` at the user's own lines: put them in the place of what run number `nth` has
 * shown. 0 or -ENOMEM. */
int vtb_predict_reword_races(struct vtb_predictions *p, uint32_t nth, const struct vtb_exec *x,
                             const struct vtb_symtab *tab);
/** Of a run that failed: accesses without the lock that is held elsewhere. 0 or -ENOMEM. */
int vtb_predict_failing(struct vtb_predictions *p, const struct vtb_exec *x, const struct vtb_symtab *tab);
/** Are more runs of any use? */
bool vtb_predict_wants(const struct vtb_predictions *p, const struct vtb_exec *x);
/** What a failure is about is no suspect any more: races on a variable of its story or between two of its places, the
 * circle of locks that it shows. 0 or -ENOMEM. */
int vtb_predictions_explained(struct vtb_predictions *p, const struct vtb_symtab *tab, const struct vtb_story *story);
/** The list for the report: races by variable and place that are no warnings, and circles that no schedule has
 * confirmed. 0 or -ENOMEM. */
int vtb_predictions_suspects(const struct vtb_predictions *p, struct vtb_suspicions *ret);
/** Those besides: accesses without the lock that is held elsewhere, also what a failure is about. 0 or -ENOMEM. */
int vtb_predictions_warnings(const struct vtb_predictions *p, struct vtb_suspicions *ret);
void vtb_predictions_fini(struct vtb_predictions *p);

#endif /* VTB_PREDICT_H */
