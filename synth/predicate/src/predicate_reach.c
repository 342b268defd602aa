/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which variables two threads can reach, as the code tells: for the order of the search, nothing is hidden for it. */
#include <errno.h>

#include "predicate_priv.h"

static bool is_alone(struct vtb_predicate *p, uint32_t site)
{
	vtb_predicate_site_matters(p, site); /* asks the source, if nobody has */
	return site < p->sites.n_items && p->sites.items[site] & SITE_ALONE;
}

int vtb_predicate_note_reach(struct vtb_predicate *p, const struct vtb_exec *x)
{
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		uint8_t *f;

		if (e->var == VTB_NONE || (vtb_predicate_is_access(e) && is_alone(p, e->site)))
			continue;
		f = vtb_predicate_flags(&p->vars, e->var);
		if (!f)
			return -ENOMEM;
		*f = (uint8_t)(*f | VAR_REACHED);
	}
	return 0;
}

bool vtb_predicate_var_reached(const struct vtb_predicate *p, uint32_t var)
{
	return p->gave_up || p->asleep || var >= p->vars.n_items || !(p->vars.items[var] & VAR_ACCESSED) ||
	       p->vars.items[var] & VAR_REACHED;
}
