/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file synth_priv.h
 * The state of one synthesis, shared by synth.c (candidates), long_points.c (where to preempt in a long trace) and
 * long_search.c (what that leads to). See long_search.c for how a long trace is searched.
 */
#ifndef VTB_SYNTH_PRIV_H
#define VTB_SYNTH_PRIV_H

#include <time.h>

#include "foresight.h"
#include "reordering.h"
#include "vtb/bounded_map.h"
#include "vtb/coverage.h"
#include "vtb/predicate_slices.h"
#include "vtb/strategy.h"
#include "vtb/synth.h"

struct synthesis {
	struct vtb_trace *trace;
	struct vtb_synth_opts opts;
	const struct vtb_strategy *strategy; /* that opts.search names */
	struct vtb_synth *ret;
	struct vtb_runner *runner;
	struct vtb_reference reference;
	struct vtb_foresight *foresight;
	struct vtb_bounded_map classes; /* of candidates, the recorded order's included */
	struct vtb_schedule log;        /* the recorded order as constraints */
	bool consistent;                /* searching orders that keep it */
	int status;
	double seconds; /* opts.search.seconds as it was asked for; the search gets what is left of it */
	struct timespec began;
	struct vtb_pruning pruning; /* --predicate; else {0} */
};

/** Traces with more events than this are searched by long_search.c: a thousand schedules are all that the default
 * budget has for them if it simulates each in full. */
#define SYNTH_LONG (VTB_SYNTH_EVENTS / 1000)

/* ---- candidates.c */
/** Count the class of a run as met. 1: it is new; 0: it is not; or -ENOMEM. */
int synth_meet_class(struct synthesis *y, const struct vtb_event *events, size_t n);
/** A candidate from a run that was simulated in full; `guesses` of its deviations are. */
int synth_add(struct synthesis *y, const struct vtb_schedule *s, const struct vtb_exec *x, bool observed,
              uint32_t guesses);
/** Candidates from a run of a new class: it, and the same as far as it is foreseen if that is less. */
int synth_add_class(struct synthesis *y, const struct vtb_schedule *s, const struct vtb_exec *x);
/** Take over a candidate, whatever the result; score and number are filled in. */
int synth_keep(struct synthesis *y, struct vtb_candidate *c);
uint64_t synth_score(const struct vtb_reordering *reordering, bool deadlock);
/** Sort, and keep the best `top` with not too many guesses. */
void synth_keep_best(struct vtb_synth *s, size_t top);

/* ---- synth.c */
/** A long trace gets fewer schedules, so that the default ends in about half a minute. By events, not by time: the
 * result must not depend on the machine. */
uint64_t synth_default_budget(size_t events);
/** From here on time counts; before that y->opts.spent_seconds. */
void synth_begin_time(struct synthesis *y);
double synth_seconds_left(const struct synthesis *y);
/** Give a search that begins now this part of what is left, if there is a limit. */
void synth_limit_time(const struct synthesis *y, struct vtb_search_opts *opts, double part);
/** Begin a search, with what --predicate asks for. */
int synth_begin_search(struct synthesis *y, struct vtb_runner *runner, const struct vtb_search_opts *opts,
                       struct vtb_search **ret, struct vtb_error *err);
/** What --predicate asks for, if it was not made yet. */
int synth_begin_pruning(struct synthesis *y, struct vtb_error *err);
/** Fill s->reorders from the run that vtb_reordering_of() has looked at last; with --predicate only pairs on which an
 * essential statement depends. 0 or -ENOMEM. */
int synth_reorders(struct synthesis *y, const struct vtb_exec *x, struct vtb_schedule *s);
/** Is there still time to describe candidate `i`? If not, it and those after it are dropped; how many were met is said.
 * Never the first. */
bool synth_may_describe(struct synthesis *y, size_t i);
/** Fill in where and why from the run of `s`, in whose order operations are counted. */
int synth_words(struct synthesis *y, struct vtb_candidate *c, const struct vtb_schedule *s, const struct vtb_exec *x,
                const struct vtb_reordering *reordering);

/** Keep the first n candidates. */
void synth_keep_first(struct vtb_synth *s, size_t n);

/* ---- long_points.c */
/** One preemption: after operation `index` of `thread`, which is event `event` of base order `order`. */
struct long_point {
	uint64_t key; /* lower first */
	uint32_t event, index, var, rank;
	uint16_t thread;
	uint8_t order, l;
};

struct long_points {
	struct long_point *points;
	size_t n_points, cap_points;
	size_t limit;     /* keep so many */
	uint64_t offered; /* there were so many */
	uint32_t *met;    /* times that a place has been offered, by hash */
	uint32_t *done;   /* scratch: operations by thread */
};
int long_points_init(struct long_points *p, size_t limit);
void long_points_fini(struct long_points *p);
/** Offer all preemptions that the base run x has room for, as far as its threads are `foreseen` (foresight.h). 0 or
 * -ENOMEM. O(events). */
int long_points_add(struct long_points *p, const struct vtb_space *space, const struct vtb_exec *x,
                    const uint32_t *foreseen, uint8_t order);
/** Keep the best `limit`, number them by rank, sort them by order and event. */
void long_points_finish(struct long_points *p);

/* ---- long_search.c */
int long_search(struct synthesis *y, struct vtb_error *err);

#endif /* VTB_SYNTH_PRIV_H */
