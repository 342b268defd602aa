/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members are destroyed the last declared one first: a thread that is a member goes on until its own destructor joins
 * it, and what is declared after it is gone by then. */
#include "remarks.h"

#include <stdio.h>
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"
#include "vtb/short_name.h"

/* "Logger::~Logger"; NULL: the site is in no destructor. */
static const char *destructor(const struct vtb_symtab *tab, uint32_t site, char *buf, size_t size)
{
	if (site >= tab->n_sites || !tab->sites[site].function)
		return NULL;
	vtb_short_function(tab->sites[site].function, buf, size);
	return strchr(buf, '~') ? buf : NULL;
}

/* In the run that passes, where the thread of this operation, after it, waits for the end of the other one. */
static size_t joined_after(const struct vtb_core_view *v, const struct vtb_core_op *freed, uint32_t thread)
{
	const struct vtb_exec *x = v->passing;
	bool gone = false;

	for (size_t i = 0; x && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != freed->thread)
			continue;
		if (gone && remark_joins(v, e, thread))
			return i;
		gone |= e->kind == freed->kind && e->site == freed->site;
	}
	return VTB_EVENT_NONE;
}

static bool same_line(const struct vtb_symtab *tab, uint32_t a, uint32_t b)
{
	return a < tab->n_sites && b < tab->n_sites && tab->sites[a].line == tab->sites[b].line &&
	       !strcmp(tab->sites[a].file, tab->sites[b].file);
}

void remark_destroyed_first(const struct vtb_core_view *v, char *buf, size_t size)
{
	char function[300], freed[300], joined[300];

	for (size_t i = 0; i < v->core->n_literals; i++) {
		const struct vtb_order_literal *l = &v->core->literals[i];
		const uint32_t at =
		    l->before.kind == VTB_E_FREE ? remark_site(v, &l->before, &v->core->exec) : VTB_NONE;
		const size_t join = at == VTB_NONE ? VTB_EVENT_NONE : joined_after(v, &l->before, l->after.thread);
		const struct vtb_core_op end =
		    join == VTB_EVENT_NONE ? (struct vtb_core_op){ 0 } : core_op_at(v->passing, join);
		const char *thread = vtb_thread_path(v->tab, l->after.thread);
		uint32_t where;

		if (join == VTB_EVENT_NONE || !destructor(v->tab, at, function, sizeof(function)))
			continue;
		where = remark_site(v, &end, v->passing);
		vtb_site_place(v->tab, at, freed, sizeof(freed));
		vtb_site_place(v->tab, where, joined, sizeof(joined));
		if (same_line(v->tab, at, where))
			snprintf(buf, size,
			         "%s (%s) destroys what %s uses, and only then the member that waits for the end of "
			         "%s: members are destroyed the last declared one first. Declare the thread after all "
			         "that it uses, or stop and join it in the body of the destructor",
			         function, freed, thread, thread);
		else
			snprintf(buf, size,
			         "%s destroys at %s what %s uses, and waits for the end of %s only after that, at %s. "
			         "Stop and join the thread first; a thread that is a member is declared after all that "
			         "it uses, as members are destroyed the last declared one first",
			         function, freed, thread, thread, joined);
		return;
	}
}
