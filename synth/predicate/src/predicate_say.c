/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What statements tell of it. */
#include "predicate_priv.h"

const char *vtb_predicate_doubt(const struct vtb_predicate *p, char *buf, size_t size)
{
	return p->source.doubt ? p->source.doubt(p->source.data, buf, size) : NULL;
}

void vtb_predicate_count(const struct vtb_predicate *p, struct vtb_predicate_counts *ret)
{
	*ret = (struct vtb_predicate_counts){ .gave_up = p->gave_up };
	for (size_t i = 0; i < p->sites.n_items; i++) {
		const uint8_t f = p->sites.items[i];

		ret->joined += (f & SITE_ADDED) != 0;
		ret->sites += (f & SITE_ACCESSES) != 0;
		ret->hidden_sites += f & SITE_ACCESSES && !p->gave_up && !(f & (SITE_MATTERS | SITE_PINNED));
	}
	for (size_t i = 0; i < p->vars.n_items; i++) {
		const uint8_t f = p->vars.items[i];

		ret->vars += (f & VAR_ACCESSED) != 0;
		ret->hidden_vars += f & VAR_ACCESSED && !(f & VAR_SHOWN);
		ret->peeked += f & MUTEX_SEEN && !(f & MUTEX_NOTICED);
	}
}
