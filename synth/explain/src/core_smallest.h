/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file core_smallest.h
 * From the literals of a failing run to those that no known passing run has all of: first minimal, by deletion on
 * assumptions that fail, then smallest, by cardinality. Passing runs are told to the solver when a candidate turns out
 * to hold in one of them.
 */
#ifndef VTB_CORE_SMALLEST_H
#define VTB_CORE_SMALLEST_H

#include "core_literals.h"

struct core_set {
	uint32_t *places; /* in the literals given, ascending; owned */
	size_t n_places, cap_places;
	bool smallest; /* no smaller set would do */
};

/** 1: *ret is a set; 0: a passing run has all the literals, or the time is over; -ENOMEM. */
int core_smallest(const struct core_runs *runs, const struct core_literals *literals, struct core_set *ret);
void core_set_fini(struct core_set *set);

/** Passing runs that have all of the literals but perhaps number `without` (n_places: none left out). */
uint64_t core_admitted(const struct core_runs *runs, const struct core_literals *literals, const struct core_set *set,
                       size_t without);

/** Does the run have all of the set's literals? */
bool core_has(const struct core_run *run, const struct core_literals *literals, const struct core_set *set);

#endif /* VTB_CORE_SMALLEST_H */
