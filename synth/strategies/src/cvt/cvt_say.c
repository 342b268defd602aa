/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of what cvt claims. */
#include "strategy_cvt.h"
#include "vtb/predicate.h"

void cvt_say_places(const struct cvt *s, uint32_t c, struct vtb_bounded_text *t)
{
	if (c < 2)
		return;
	if (s->max_v < c - 1 && s->space->opts->dynamic)
		vtb_bounded_text_add(t, ", at the variables of the first %u of them", s->max_v);
	else if (s->max_v < c - 1)
		vtb_bounded_text_add(t, ", at v <= %u variables", s->max_v);
	if (s->cut_l)
		vtb_bounded_text_add(t, ", not at heap blocks after number %u of their kind (--l=%u)", s->max_l + 1,
		                     s->max_l);
	if (s->cut_focus)
		vtb_bounded_text_add(t, ", inside the focus");
	if (s->n_idle)
		vtb_bounded_text_add(t, ", not where no assertion depends on what was done (%zu schedule%s put by)",
		                     s->n_idle, s->n_idle == 1 ? " was" : "s were");
}

void cvt_say_source(const struct cvt *s, struct vtb_bounded_text *t)
{
	const struct vtb_predicate *p = s->space->opts->predicate;
	char doubt[160];
	const char *said = p ? vtb_predicate_doubt(p, doubt, sizeof(doubt)) : NULL;
	struct vtb_predicate_counts counts = { .gave_up = true };

	if (vtb_predicate_awake(p))
		vtb_predicate_count(p, &counts);
	if (counts.gave_up)
		vtb_bounded_text_add(t, "; which variables threads share was learnt from the runs");
	else
		vtb_bounded_text_add(t, "; which variables threads can share was told by slices of the code%s%s%s",
		                     said ? " (but not of " : "", said ? said : "", said ? ")" : "");
}
