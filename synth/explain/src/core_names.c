/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core_names.h"

#include <string.h>

#include "vtb/exec_waits.h"

static bool same_line(const struct vtb_symtab *tab, uint32_t a, uint32_t b)
{
	const struct vtb_site *l, *r;

	if (a == b)
		return true;
	if (a >= tab->n_sites || b >= tab->n_sites)
		return false;
	l = &tab->sites[a];
	r = &tab->sites[b];
	return l->line && l->module == r->module && l->line == r->line && l->function_line == r->function_line &&
	       !strcmp(l->function, r->function);
}

size_t core_place_in(const struct vtb_exec *x, const struct vtb_core_op *op)
{
	uint32_t n = 0;

	for (size_t i = 0; op->index && i < x->n_events; i++)
		if (x->events[i].thread == op->thread && vtb_event_is_operation(&x->events[i]) && ++n == op->index)
			return i;
	return VTB_EVENT_NONE;
}

struct vtb_op core_op_by_place(const struct vtb_core_op *op, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	const size_t at = core_place_in(x, op);
	uint32_t n = at == VTB_EVENT_NONE;

	for (size_t i = 0; i < x->n_events && (at == VTB_EVENT_NONE || i <= at); i++)
		n += x->events[i].thread == op->thread && x->events[i].kind == op->kind &&
		     same_line(tab, x->events[i].site, op->site);
	return (struct vtb_op){ .thread = op->thread,
		                .index = VTB_OP_BY_SITE,
		                .name = { .kind = op->kind, .site = op->site, .occurrence = n } };
}

struct vtb_core_op core_op_at(const struct vtb_exec *x, size_t at)
{
	const struct vtb_event *e = &x->events[at];
	struct vtb_core_op op = { .thread = e->thread, .site = e->site, .var = e->var, .kind = e->kind };

	for (size_t i = 0; i <= at; i++) {
		op.index += x->events[i].thread == e->thread && vtb_event_is_operation(&x->events[i]);
		op.occurrence +=
		    x->events[i].thread == e->thread && x->events[i].site == e->site && x->events[i].kind == e->kind;
	}
	return op;
}
