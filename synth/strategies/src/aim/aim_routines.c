/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which threads run the same routine. */
#include <errno.h>
#include <string.h>

#include "aim.h"

/* Where it does something for the first time; VTB_NONE: not known. */
static uint32_t begins_at(const struct aim *s, uint32_t thread)
{
	return thread < s->n_begins ? s->begins[thread] : VTB_NONE;
}

/* Lambdas of one function have one name, but not the same beginning. */
bool aim_is_like(const struct aim *s, uint32_t a, uint32_t b)
{
	const struct vtb_symtab *tab = s->space->tab;
	const uint32_t at = begins_at(s, a), other = begins_at(s, b);

	return a < tab->n_threads && b < tab->n_threads && (at == other || at == VTB_NONE || other == VTB_NONE) &&
	       !strcmp(tab->threads[a].start, tab->threads[b].start);
}

uint32_t aim_routine_of(struct aim *s, uint32_t thread)
{
	uint32_t t = 0;

	if (thread >= s->space->tab->n_threads || vtb_array_extend(s, routines, s->space->tab->n_threads, VTB_NONE) < 0)
		return thread;
	if (s->routines[thread] != VTB_NONE)
		return s->routines[thread];
	while (t < thread && !aim_is_like(s, t, thread))
		t++;
	return s->routines[thread] = t;
}

int aim_read_begins(struct aim *s, const struct vtb_exec *x)
{
	for (uint32_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread < s->n_begins && s->begins[e->thread] != VTB_NONE)
			continue;
		if (!vtb_event_is_operation(e) || vtb_event_info(e->kind)->family == VTB_FAMILY_THREAD)
			continue;
		if (vtb_array_extend(s, begins, e->thread + 1u, VTB_NONE) < 0)
			return -ENOMEM;
		s->begins[e->thread] = e->site;
	}
	return 0;
}
