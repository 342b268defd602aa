/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is static is destroyed when the process ends, and a thread that nobody waits for goes on meanwhile. */
#include "remarks.h"

#include <stdio.h>
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"

/* What exit() looks at first (runtime/hooks/libc/hidden.c). */
static bool begins_to_end(const struct vtb_symtab *tab, const struct vtb_event *e)
{
	return e->kind == VTB_E_ATOMIC_LOAD && e->var < tab->n_variables &&
	       !strcmp(vtb_variable_name(tab, e->var), "handlers_at_exit");
}

static bool at_exit(const struct vtb_core_view *v, size_t freed)
{
	const struct vtb_exec *x = &v->core->exec;

	for (size_t i = freed; freed != VTB_EVENT_NONE && i-- > 0;)
		if (x->events[i].thread == x->events[freed].thread && begins_to_end(v->tab, &x->events[i]))
			return true;
	return false;
}

/* In the run that passes: somebody waits for its end, or no such run is at hand. */
static bool may_be_awaited(const struct vtb_core_view *v, uint32_t thread)
{
	bool r = !v->passing;

	for (size_t i = 0; v->passing && i < v->passing->n_events && !r; i++)
		r = remark_joins(v, &v->passing->events[i], thread);
	return r;
}

void remark_at_exit(const struct vtb_core_view *v, char *buf, size_t size)
{
	for (size_t i = 0; i < v->core->n_literals; i++) {
		const struct vtb_order_literal *l = &v->core->literals[i];
		const char *thread = vtb_thread_path(v->tab, l->after.thread);

		if (l->before.kind != VTB_E_FREE || !at_exit(v, v->before[i].at) || may_be_awaited(v, l->after.thread))
			continue;
		snprintf(
		    buf, size,
		    "%s ends the process, which destroys all that is static, while %s still uses it: nobody waits for "
		    "the end of %s. Join it, or tell it to end and wait for that, before main() returns or exit() is "
		    "called",
		    vtb_thread_path(v->tab, l->before.thread), thread, thread);
		return;
	}
}
