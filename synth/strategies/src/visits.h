/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file visits.h
 * How often a run has been at each site for each variable.
 *
 * Shape:     the first site at which the run touches a variable is counted by the variable's id, and most have no
 * other: a loop over an array counts in order. Other sites, and VTB_NONE as a variable, are in a map. Ownership: owns
 * its memory; {0} is before the first run.
 */
#ifndef VTB_VISITS_H
#define VTB_VISITS_H

#include <stddef.h>
#include <stdint.h>

#include "vtb/map64.h"

struct visits_var {
	uint64_t run; /* 0: none yet */
	uint32_t site, n;
};

struct visits {
	struct visits_var *vars; /* by id */
	size_t n_vars, cap_vars;
	uint64_t run;
	struct vtb_map64 others; /* site and variable -> how often */
};

void visits_fini(struct visits *v);
/** Another run: nobody has been anywhere. O(what is in the map). */
void visits_begin(struct visits *v);
/** Where the first site of the variable is counted, if this is it; else NULL. */
static inline struct visits_var *visits_first(const struct visits *v, uint32_t site, uint32_t var)
{
	struct visits_var *x = var < v->n_vars ? &v->vars[var] : NULL;

	return x && x->run == v->run && x->site == site ? x : NULL;
}

int visits_add_other(struct visits *v, uint32_t site, uint32_t var);
/** Once more. 0 or -ENOMEM. */
static inline int visits_add(struct visits *v, uint32_t site, uint32_t var)
{
	struct visits_var *x = visits_first(v, site, var);

	if (!x)
		return visits_add_other(v, site, var);
	x->n++;
	return 0;
}

/** Once less, where it was at all. */
void visits_take(struct visits *v, uint32_t site, uint32_t var);
uint64_t visits_of(const struct visits *v, uint32_t site, uint32_t var);

#endif /* VTB_VISITS_H */
