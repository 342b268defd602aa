/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VTB_SEARCH_PRIV_H
#define VTB_SEARCH_PRIV_H

#include "class_set.h"
#include "coverage.h"
#include "rng.h"
#include "seen.h"
#include "vtb/mazurkiewicz.h"
#include "vtb/strategy.h"

/** 64 bits of a fingerprint: n classes merge falsely with probability below n^2 / 2^65. */
static inline uint64_t vtb_class_id(struct vtb_hash128 h)
{
	return h.lo ^ vtb_mix64(h.hi);
}

struct vtb_search {
	struct vtb_runner *runner;
	struct vtb_search_opts opts;
	const struct vtb_strategy *strategy;
	void *state;               /* the strategy's */
	struct vtb_space space;
	struct vtb_coverage coverage;
	struct vtb_mazurkiewicz *order;
	uint64_t *prefix;          /* of the run being digested */
	size_t n_prefix, cap_prefix;
	struct vtb_class_set classes; /* of complete runs */
	struct vtb_search_stats stats;
	struct vtb_plan *plans;    /* one batch */
	struct vtb_exec *execs;
	const struct vtb_schedule **schedules;
	size_t batch;
	bool stopping;             /* the callback has said stop */
	double seconds_before;     /* of earlier calls of vtb_search_run */
};

#endif /* VTB_SEARCH_PRIV_H */
