/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A read that comes before the first write. Of what is left out of a run, as searches leave out what main does before
 * its first thread, no event tells; but who reads more than nothing reads what somebody has written. */
#include "classes.h"

bool core_written_before(const struct vtb_exec *x, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (vtb_event_is(&x->events[i], VTB_EV_WRITES) && vtb_event_overlap(&x->events[i], &x->events[at]))
			return true;
	return false;
}

/* Of a block that the writer itself has made, nobody else knows but by the writer: it told of it too early. */
static bool own_block(const struct vtb_core_view *v, const struct vtb_core_op *write)
{
	const uint32_t object = write->var < v->tab->n_variables ? v->tab->variables[write->var].object : VTB_NONE;

	return object < v->tab->n_objects && v->tab->objects[object].kind == VTB_OBJ_HEAP &&
	       v->tab->objects[object].thread == write->thread;
}

/* Does the thread that would write it look at it first? Then it goes on from a value, and does not make the first.
 * `write`: where it writes it, VTB_EVENT_NONE: it did not come to that. */
static bool looked_at(const struct vtb_exec *x, const struct vtb_event *read, uint32_t writer, size_t write)
{
	for (size_t i = 0; i < x->n_events && i != write; i++)
		if (x->events[i].thread == writer && vtb_event_is(&x->events[i], VTB_EV_READS) &&
		    vtb_event_overlap(&x->events[i], read))
			return true;
	return false;
}

/* The writer has told the reader of it by another variable: it has written that, and the reader looked at it before. */
static bool told_too_early(const struct vtb_core_view *v, size_t early)
{
	const struct vtb_order_literal *l = &v->core->literals[early];

	for (size_t i = 0; i < v->core->n_literals; i++) {
		const struct vtb_order_literal *told = &v->core->literals[i];

		if (core_writes(&told->before) && core_is_data(&told->after) &&
		    told->before.thread == l->after.thread && told->after.thread == l->before.thread &&
		    told->before.var != l->after.var && v->after[i].at != VTB_EVENT_NONE &&
		    v->after[i].at < v->before[early].at)
			return !(vtb_event_info(l->after.kind)->flags & VTB_EV_READS) &&
			       !looked_at(&v->core->exec, &v->core->exec.events[v->before[early].at], l->after.thread,
			                  v->after[early].at);
	}
	return false;
}

static bool is_early(const struct vtb_core_view *v, size_t i)
{
	const struct vtb_order_literal *l = &v->core->literals[i];
	const size_t at = v->before[i].at;

	/* who gives a block back initialises nothing */
	if (!core_reads(&l->before) || !core_writes(&l->after) || l->after.kind == VTB_E_FREE || at == VTB_EVENT_NONE)
		return false;
	if (core_written_before(&v->core->exec, at))
		return own_block(v, &l->after) && told_too_early(v, i);
	return v->core->exec.events[at].value == 0 && (own_block(v, &l->after) || !v->circle || told_too_early(v, i));
}

static bool fits(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals; i++)
		if (is_early(v, i))
			return true;
	return false;
}

const struct vtb_core_class core_use_before_init = { .name = "use-before-initialisation",
	                                             .text = "use before initialisation",
	                                             .fits = fits };
