/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file influence.h
 * Until when does what a thread does matter to the others in this run? Who is stopped after that can be stopped without
 * anybody noticing: its remaining operations come later, and nothing that came after them in this run depends on one of
 * them, so the run is of the same class. Strategies put such stops last; they leave none out, for another run may show
 * more.
 *
 * Shape:     `last[t]`: the last operation of thread t on which a later one of another thread depends, as an event of
 * the run; VTB_NONE: there is none. Births, deaths and joins cannot come in another order and do not count, nor does
 * what the joiner does after the join. The end of the process depends on everything. Ownership: owns its arrays.
 */
#ifndef VTB_INFLUENCE_H
#define VTB_INFLUENCE_H

#include "vtb/exec.h"

struct vtb_influence_join; /* who joined a thread, and when */
struct vtb_influence_var;  /* whose later accesses to a variable there are */

struct vtb_influence {
	uint32_t *last;
	size_t n_last, cap_last;
	struct vtb_influence_var *vars;
	size_t n_vars, cap_vars;
	struct vtb_influence_join *joins; /* by thread */
	size_t n_joins, cap_joins;
	uint32_t run; /* that `vars` speak of */
};

void vtb_influence_fini(struct vtb_influence *n);
/** Look at a run; `tab` tells which thread a handle means. 0 or -ENOMEM. O(events). */
int vtb_influence_begin(struct vtb_influence *n, const struct vtb_exec *x, const struct vtb_symtab *tab);

/** Does anybody notice if the thread does its operations from event `point` on later than it did? */
static inline bool vtb_influences_after(const struct vtb_influence *n, uint32_t thread, uint32_t point)
{
	return thread < n->n_last && n->last[thread] != VTB_NONE && n->last[thread] >= point;
}

#endif /* VTB_INFLUENCE_H */
