/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VTB_SEARCH_PRIV_H
#define VTB_SEARCH_PRIV_H

#include "clock_order.h"
#include "made_runs.h"
#include "outputs.h"
#include "selective/selective.h"
#include "turns/hand_over.h"
#include "vtb/bounded_map.h"
#include "vtb/coverage.h"
#include "vtb/hash_set.h"
#include "vtb/mazurkiewicz.h"
#include "vtb/state_set.h"
#include "vtb/strategy.h"

struct vtb_search_group {
	size_t place;                 /* in the batch */
	struct vtb_schedule schedule; /* numbered for a quiet program */
	struct vtb_exec exec;
};

/* What is known of runs with one print (struct vtb_exec). */
struct vtb_search_print {
	uint64_t class_id;
	uint64_t n_events;
};

#define KNOWN_FAILURES_MAX 64u /* of more kinds every run is told */

/* Signatures that were reported, and of which whoever was told wants no more (vtb/search.h, known_will_do). */
struct vtb_known_failures {
	const char *signatures[KNOWN_FAILURES_MAX]; /* the table's */
	uint32_t n;
};

struct vtb_search {
	struct vtb_runner *runner;
	uint64_t number; /* no other one has the same */
	struct vtb_search_opts opts;
	const struct vtb_strategy *strategy;
	struct vtb_hand_over turn; /* the strategy, or who goes on for it */
	struct vtb_space space;
	struct vtb_coverage coverage;
	struct vtb_mazurkiewicz *order;
	struct vtb_clock_order clocks; /* of the run being digested */
	uint64_t *prefix;              /* of the run being digested */
	size_t n_prefix, cap_prefix;
	struct vtb_hash_set classes; /* of complete runs */
	struct vtb_search_print *prints;
	size_t n_prints, cap_prints;
	struct vtb_state_set states;
	struct vtb_search_stats stats;
	struct vtb_outputs outputs;
	struct vtb_known_failures known;
	bool little_will_do;    /* vtb/search.h */
	struct vtb_claim claim; /* of the strategy, when everything that it had proposed was fed back */
	struct vtb_made_runs made;
	struct vtb_plan *plans; /* one batch */
	struct vtb_exec *execs;
	const struct vtb_schedule **schedules;
	struct vtb_selective selective;
	uint8_t *how; /* by place in the batch: enum vtb_run_how */
	struct vtb_exec *group_execs;
	struct vtb_search_group *group; /* scratch: those of the batch that are run together */
	size_t usual, batch;            /* schedules at a time: what the runner likes, and the most */
	size_t n_plans;                 /* in `plans`: from here on, those that are run later */
	size_t n_run;                   /* the first of them: those of this batch */
	size_t ends[2], n_ends;         /* of the pieces that were planned and not digested (batch/search_ahead.c) */
	double began;                   /* the batch */
	size_t digested;                /* of the batch, while others of it are run */
	int trouble;                    /* with that: an error, or 0 */
	const struct vtb_search_calls *calls; /* meanwhile */
	bool stopping;                        /* the callback has said stop */
	bool cut; /* `stop` came within a batch: what the strategy has not seen is lost, the search is over */
	double seconds_before; /* of earlier calls of vtb_search_run */
};

/* search.c: account for one run and hand it to the strategy. Returns enum vtb_search_reply, or an error. */
int vtb_search_digest(struct vtb_search *search, const struct vtb_search_calls *calls, struct vtb_plan *plan,
                      const struct vtb_exec *x);
/* The same for a run that the strategy is not to see any more: it is reported if it fails. */
int vtb_search_digest_late(struct vtb_search *search, const struct vtb_search_calls *calls, const struct vtb_plan *plan,
                           const struct vtb_exec *x);

/* ---- run_class.c */
/* The class of the run (vtb_class_id()), and whether it was met for the first time. 0 or -ENOMEM. */
int vtb_search_class(struct vtb_search *search, const struct vtb_exec *x, uint64_t *ret_class, bool *ret_new);
/* How many events it has, also if they are not told. */
uint64_t vtb_search_events(const struct vtb_search *search, const struct vtb_exec *x);
/* Does the run show its strategy nothing? It has said that a class that is known would do. What is told of such a run
 * all the same is not used, so that a search comes to the same whatever the runner tells. So is what is told of a run
 * that fails as others did, if that will do. */
bool vtb_search_shows_nothing(const struct vtb_search *search, const struct vtb_search_calls *calls,
                              const struct vtb_plan *plan, const struct vtb_exec *x, bool new_class);
/* It was reported, and such runs will do as they are from now on. */
void vtb_search_know_failure(struct vtb_search *search, const struct vtb_exec *x);
/* How far the runner is to tell runs that fail. */
void vtb_search_ask(struct vtb_search *search, const struct vtb_search_calls *calls);

static inline bool vtb_search_is_lower(struct vtb_tuple a, struct vtb_tuple b)
{
	return a.c < b.c || (a.c == b.c && a.v < b.v);
}

/* ---- batch/search_batch.c */
/* ---- batch/search_ahead.c */
/* Does the strategy plan while others of its runs are under way? */
bool vtb_search_goes_ahead(const struct vtb_search *search);
/* Room for so many plans. */
size_t vtb_search_room_ahead(const struct vtb_search *search);
/* The plans of the next batch are in search->plans: how many are run; 0: there are none; or an error. */
int64_t vtb_search_plan(struct vtb_search *search);
/* One more run of the batch was digested: at the end of a piece another one is planned, or the batch ends if the
 * callback has said stop: how many runs are digested must not depend on how far the runner has come. 0 or an error. */
int vtb_search_note_digested(struct vtb_search *search);
/* While the batch runs: have the runner go on with what was planned since. */
void vtb_search_offer(struct vtb_search *search);
/* The batch is over: what is left comes first in the next one. */
void vtb_search_end_batch(struct vtb_search *search);

/* For the largest batch. 0 or -ENOMEM. */
int vtb_search_make_room(struct vtb_search *search);
/* Schedules of the next one. */
size_t vtb_search_batch_size(const struct vtb_search *search);
/* Run and digest search->plans[0..n). 1: the callback has said stop; 0 or an error. */
int vtb_search_run_batch(struct vtb_search *search, const struct vtb_search_calls *calls, size_t n,
                         struct vtb_error *err);
/* The run that was made and that the plan leads to; or NULL. */
const struct vtb_exec *vtb_search_made_before(struct vtb_search *search, const struct vtb_plan *plan);
/* Tell the strategy what selective instrumentation wants of it. */
void vtb_search_tell_selective(struct vtb_search *search);
void vtb_search_clear_batch(struct vtb_search *search, size_t n);

#endif /* VTB_SEARCH_PRIV_H */
