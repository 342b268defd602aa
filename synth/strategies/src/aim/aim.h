/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file aim.h
 * The state of the strategy aim, shared by strategy_aim.c (which schedule next) and aim_patterns.c (what a run shows).
 *
 *      order     main   A ........p | B ........................ | the others | A, from behind p to its end
 *      another   main   A ........p | B ......q | the others | A, from behind p | B, from behind q
 *
 * A pattern: A does p, B something that p conflicts with, A something later that conflicts with B, too. Where such
 * operations belong together they come out in one piece in most schedules, and in a failing one they do not.
 */
#ifndef VTB_AIM_H
#define VTB_AIM_H

#include "heap.h"
#include "symmetry.h"
#include "vtb/array.h"
#include "vtb/bounded_map.h"
#include "vtb/coverage.h"
#include "vtb/map64.h"
#include "vtb/strategy.h"

#define AIM_STOPS 2u
#define AIM_LOOKED 16u  /* threads whose stops are looked for in one run */
#define AIM_PARTNERS 4u /* threads for which one stop is tried: who comes to the conflict soonest */

struct aim_stop {
	uint32_t thread, index; /* operations that it has then done */
	uint32_t var;           /* what the stop is charged to */
};

/** A schedule: the first thread goes as far as its stop, the second as far as its own, or to its end. */
struct aim_shot {
	uint32_t first, second, third; /* VTB_NONE: nobody in particular */
	struct aim_stop stops[AIM_STOPS];
	uint8_t n_stops;
	bool soon; /* who was stopped goes on before the others */
};

/** Operations of threads other than the one that is looked at, on a variable: the last ones in the run. */
struct aim_last {
	uint32_t thread, touched, written; /* events, VTB_NONE: none */
	uint32_t lock;                     /* that it had then taken last and still held, VTB_NONE: none */
	uint32_t next;                     /* of this variable, VTB_NONE: the last */
};

struct aim {
	const struct vtb_space *space;
	struct vtb_symmetry symmetry;
	struct aim_shot *shots;
	size_t n_shots, cap_shots;
	struct vtb_heap queue;
	struct vtb_bounded_map known; /* stops that are in the queue or were */
	uint64_t proposed, dropped;
	bool started;

	/* scratch, one run at a time */
	struct aim_last *lasts;
	size_t n_lasts, cap_lasts;
	struct vtb_map64 by_var; /* variable -> first of its rows in `lasts` + 1 */
	struct vtb_map64 visits; /* site and variable -> how often in the run */
	uint32_t *ops;           /* events of the thread being looked at */
	size_t n_ops, cap_ops;
	uint32_t *locks; /* the mutex that it then holds */
	size_t n_locks, cap_locks;
	uint32_t *held; /* thread -> mutex that it has taken last and still holds, VTB_NONE */
	size_t n_held, cap_held;
	uint32_t *next; /* thread -> the next operation, as a place in `ops`, that conflicts with it; VTB_NONE */
	size_t n_next, cap_next;
};

/* ---- aim_lasts.c */
/** The mutex that the event's thread has taken last and still holds: one is enough to know of. */
void aim_hold(uint32_t *held, const struct vtb_event *e);
bool aim_writes(const struct vtb_event *e);
/** The lowest thread that has looked like it. */
uint32_t aim_class_of(const struct aim *s, uint32_t thread);
/** A condition's waiter has to do with the mutex, too. VTB_NONE: nothing else. */
uint32_t aim_other_var(const struct vtb_event *e);
/** Fill s->lasts. `second` (VTB_NONE) and `joined` (false) are scratch by thread; s->held is empty. 0 or -ENOMEM. */
int aim_read_lasts(struct aim *s, const struct vtb_exec *x, uint32_t *second, bool *joined);

/* ---- aim_patterns.c */
/** Queue what the run of the shot suggests. 0 or -ENOMEM. O(events x classes of threads). */
int aim_learn(struct aim *s, const struct aim_shot *shot, const struct vtb_exec *x);
/** Queue a shot, the lower `cost` the sooner, unless it is known. 0 or -ENOMEM. */
int aim_queue(struct aim *s, const struct aim_shot *shot, uint32_t cost);
void aim_patterns_fini(struct aim *s);

#endif /* VTB_AIM_H */
