/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file suspects.h
 * Orders of operations that tell failing runs from passing ones. An order is a pair of neighbouring conflicting
 * operations on one variable, of different threads, named by thread path, kind, function, line in it and variable, so
 * that it means the same in every run.
 *
 * Cost: O(events) a trace.
 */
#ifndef VTB_SUSPECTS_H
#define VTB_SUSPECTS_H

#include "vtb/trace.h"
#include "vtb/triage.h"

struct vtb_suspects; /* a table of orders and how many runs have them */

int vtb_suspects_new(struct vtb_suspects **ret);
void vtb_suspects_free(struct vtb_suspects *s);
/** Count the orders of one run; each at most once. 0 or -ENOMEM. */
int vtb_suspects_add(struct vtb_suspects *s, const struct vtb_trace *trace, bool failing);
/** The orders most typical of failing runs, at most `max`: those with failing share > passing share, greatest
 * difference first. Owned by the caller. */
int vtb_suspects_rank(const struct vtb_suspects *s, uint32_t failing, uint32_t passing, struct vtb_suspect *ret,
                      size_t max, size_t *ret_n);

struct vtb_suspect_pair {
	bool found;
	size_t earlier, later; /* events of the trace */
};

/** Where a run has these orders, each for the first time. 0 or -ENOMEM. */
int vtb_suspects_in(const struct vtb_trace *trace, const struct vtb_suspect *suspects, size_t n,
                    struct vtb_suspect_pair *ret);

/** Is there no order that all `failing` failing runs have and no passing one, of operations that passing ones have,
 * too? Then no order of two operations is what makes it fail, as far as the recordings know it. */
bool vtb_suspects_same(const struct vtb_suspects *s, uint32_t failing);

#endif /* VTB_SUSPECTS_H */
