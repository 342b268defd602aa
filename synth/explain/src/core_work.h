/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file core_work.h
 * What the search for the smallest core has in hand, and what it and the choice among cores of one size ask.
 */
#ifndef VTB_CORE_WORK_H
#define VTB_CORE_WORK_H

#include "core_smallest.h"
#include "sat.h"

struct core_work {
	const struct core_runs *runs;
	const struct core_literals *literals;
	struct vtb_sat *sat;
	int *vars; /* of the literals */
	int more;  /* "a passing run that the solver has not been told of" */
	int *clause;
	uint32_t *kept;
	const bool *left_out; /* by literal: it must not be in a core; NULL: all may be */
	uint64_t wanted;      /* failing runs that a smaller set must have; 0: any will do */
};

/** A core of at most `k` literals, none of them left out: 1, there is none: 0, not known: -ETIMEDOUT; -ENOMEM. *ret is
 * empty, and the caller's in any case. */
int core_of_size(struct core_work *w, size_t k, struct core_set *ret);

/** Leave out of a core what can be left out, the least wanted first. 0, -ETIMEDOUT (it is a core still) or -ENOMEM. */
int core_minimise(struct core_work *w, struct core_set *set);

/** Another core that is no larger, if there is one that tells more: of no orders in which locks are taken, and between
 * two threads alone, else of no such orders. *set stays as it is if not. 0 or -ENOMEM. */
int core_prefer(struct core_work *w, struct core_set *set);

#endif /* VTB_CORE_WORK_H */
