/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A read that comes before the first write. */
#include "classes.h"

static bool written_before(const struct vtb_exec *x, size_t at)
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

static bool fits(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals; i++) {
		const struct vtb_order_literal *l = &v->core->literals[i];
		const size_t at = v->before[i].at;

		if (core_reads(&l->before) && core_writes(&l->after) && at != VTB_EVENT_NONE &&
		    (own_block(v, &l->after) || (!v->circle && v->core->exec.events[at].value == 0)) &&
		    !written_before(&v->core->exec, at))
			return true;
	}
	return false;
}

const struct vtb_core_class core_use_before_init = { .name = "use-before-initialisation",
	                                             .text = "use before initialisation",
	                                             .fits = fits };
