/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A controlled run as a trace of its own, with the names that the run uses. */
#include "vtb/ingest.h"

#include <errno.h>
#include <string.h>

#include "vtb/array.h"

static bool aux_is_variable(const struct vtb_event *e)
{
	return e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE;
}

/* An id in the new table; errors stay in names->status. */
static uint32_t id(int64_t copied)
{
	return copied < 0 ? VTB_NONE : (uint32_t)copied;
}

static int add_event(struct vtb_trace *to, struct vtb_names *names, struct vtb_event e)
{
	e.thread = (uint16_t)id(vtb_names_thread(names, e.thread));
	e.site = id(vtb_names_site(names, e.site));
	e.var = id(vtb_names_variable(names, e.var));
	if (aux_is_variable(&e))
		e.aux = id(vtb_names_variable(names, e.aux));
	if (names->status < 0)
		return names->status;
	if (vtb_array_room(to, events) < 0)
		return -ENOMEM;
	to->events[to->n_events++] = e;
	return 0;
}

/* In a trace, an operation not done is an event of kind PENDING. */
static int add_pending(struct vtb_trace *to, struct vtb_names *names, struct vtb_event e)
{
	e.aux = e.kind;
	e.kind = VTB_E_PENDING;
	e.flags &= (uint8_t) ~(VTB_EVF_ACQUIRES | VTB_EVF_RELEASES);
	return add_event(to, names, e);
}

static int copy_outcome(struct vtb_trace *to, struct vtb_names *names, const struct vtb_outcome *from)
{
	to->outcome = *from;
	to->outcome.thread = id(vtb_names_thread(names, from->thread));
	to->outcome.site = id(vtb_names_site(names, from->site));
	to->outcome.var = id(vtb_names_variable(names, from->var));
	to->outcome.message = vtb_names_string(names, from->message);
	to->outcome.signature = vtb_names_string(names, from->signature);
	return to->outcome.message && to->outcome.signature ? names->status : -ENOMEM;
}

/* Threads that did nothing are part of the run too: their creation was an event. */
static int copy_all(struct vtb_trace *to, struct vtb_names *names, const struct vtb_exec *exec)
{
	int r = id(vtb_names_thread(names, 0)) == VTB_NONE ? names->status : 0; /* main comes first */

	for (size_t i = 0; r == 0 && i < exec->n_events; i++)
		r = add_event(to, names, exec->events[i]);
	for (size_t i = 0; r == 0 && i < exec->n_pending; i++)
		r = add_pending(to, names, exec->pending[i]);
	return r < 0 ? r : copy_outcome(to, names, &exec->outcome);
}

int vtb_trace_from_exec(const struct vtb_exec *exec, const struct vtb_symtab *tab, struct vtb_trace *ret)
{
	struct vtb_trace trace;
	struct vtb_names names = { .to = &trace.tab, .from = tab };
	int r;

	vtb_trace_init(&trace);
	trace.order = VTB_ORDER_TOTAL;
	trace.backend = strdup("control");
	r = trace.backend ? copy_all(&trace, &names, exec) : -ENOMEM;
	vtb_names_fini(&names);
	if (r < 0)
		vtb_trace_fini(&trace);
	else
		*ret = trace;
	return r;
}
