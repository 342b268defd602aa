/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which variables matter: for the order of a search, and what it may leave out for assertions' sake. */
#include <errno.h>

#include "predicate_priv.h"

int vtb_predicate_note_vars(struct vtb_predicate *p, const struct vtb_exec *x)
{
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		uint8_t *f;

		if (!vtb_predicate_is_access(e) || e->var == VTB_NONE)
			continue;
		f = vtb_predicate_flags(&p->vars, e->var);
		if (!f)
			return -ENOMEM;
		p->vars_grown += *f & VAR_ACCESSED && !(*f & VAR_SHOWN) && !p->hidden.items[i];
		*f |= (uint8_t)(VAR_ACCESSED | (p->hidden.items[i] ? 0 : VAR_SHOWN));
	}
	return 0;
}

bool vtb_predicate_var_matters(const struct vtb_predicate *p, uint32_t var)
{
	return p->gave_up || var >= p->vars.n_items || !(p->vars.items[var] & VAR_ACCESSED) ||
	       p->vars.items[var] & VAR_SHOWN;
}

uint64_t vtb_predicate_vars_grown(const struct vtb_predicate *p)
{
	return p->vars_grown + p->gave_up;
}
