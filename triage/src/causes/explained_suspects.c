/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suspects that a finding's cause explains. */
#include "causes.h"

#include <string.h>

static bool is_place(const struct vtb_suspicion_place *place, const struct vtb_cause_op *op)
{
	return place->line && place->line == op->line && !strcmp(place->file, op->file);
}

static bool is_order_of(const struct vtb_suspicion *s, const struct vtb_cause *cause)
{
	for (size_t i = 0; i < cause->n_orders; i++) {
		const struct vtb_cause_order *o = &cause->orders[i];

		if ((is_place(&s->places[0], &o->before) && is_place(&s->places[1], &o->after)) ||
		    (is_place(&s->places[0], &o->after) && is_place(&s->places[1], &o->before)))
			return true;
	}
	return false;
}

static bool is_explained(const struct vtb_suspicion *s, const struct vtb_hunt_result *result)
{
	for (size_t i = 0; i < result->n_findings; i++)
		for (size_t k = 0; k < result->findings[i].causes.n_causes; k++)
			if (is_order_of(s, &result->findings[i].causes.causes[k]))
				return true;
	return false;
}

void vtb_causes_explain_suspects(struct vtb_hunt_result *result)
{
	struct vtb_suspicions *all = &result->suspects;
	size_t kept = 0;

	for (size_t i = 0; i < all->n_suspicions; i++) {
		struct vtb_suspicion *s = &all->suspicions[i];

		if (s->kind == VTB_SUSPECT_RACE && s->n_places == 2 && is_explained(s, result))
			vtb_suspicion_fini(s);
		else
			all->suspicions[kept++] = *s;
	}
	all->n_suspicions = kept;
}
