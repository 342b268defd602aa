/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VTB_SEARCH_PRIV_H
#define VTB_SEARCH_PRIV_H

#include "made_runs.h"
#include "selective.h"
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

struct vtb_search {
	struct vtb_runner *runner;
	struct vtb_search_opts opts;
	const struct vtb_strategy *strategy;
	void *state; /* the strategy's */
	struct vtb_space space;
	struct vtb_coverage coverage;
	struct vtb_mazurkiewicz *order;
	uint64_t *prefix; /* of the run being digested */
	size_t n_prefix, cap_prefix;
	struct vtb_hash_set classes; /* of complete runs */
	struct vtb_state_set states;
	struct vtb_search_stats stats;
	struct vtb_claim claim; /* of the strategy, when everything that it had proposed was fed back */
	struct vtb_made_runs made;
	struct vtb_plan *plans; /* one batch */
	struct vtb_exec *execs;
	const struct vtb_schedule **schedules;
	struct vtb_selective selective;
	uint8_t *how; /* by place in the batch: enum vtb_run_how */
	struct vtb_exec *group_execs;
	struct vtb_search_group *group; /* scratch: those of the batch that are run together */
	size_t batch;
	bool stopping; /* the callback has said stop */
	bool cut;      /* `stop` came within a batch: what the strategy has not seen is lost, the search is over */
	double seconds_before; /* of earlier calls of vtb_search_run */
};

/* search.c: account for one run and hand it to the strategy. Returns enum vtb_search_reply, or an error. */
int vtb_search_digest(struct vtb_search *search, const struct vtb_search_calls *calls, struct vtb_plan *plan,
                      const struct vtb_exec *x);
/* The same for a run that the strategy is not to see any more: it is reported if it fails. */
int vtb_search_digest_late(struct vtb_search *search, const struct vtb_search_calls *calls, const struct vtb_plan *plan,
                           const struct vtb_exec *x);

/* ---- search_batch.c */
/* Run and digest search->plans[0..n). 1: the callback has said stop; 0 or an error. */
int vtb_search_run_batch(struct vtb_search *search, const struct vtb_search_calls *calls, size_t n,
                         struct vtb_error *err);
/* Tell the strategy what selective instrumentation wants of it. */
void vtb_search_tell_selective(struct vtb_search *search);
void vtb_search_clear_batch(struct vtb_search *search, size_t n);

#endif /* VTB_SEARCH_PRIV_H */
