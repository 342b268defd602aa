/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core_names.h"

#include "vtb/exec_waits.h"

size_t core_place_in(const struct vtb_exec *x, const struct vtb_core_op *op)
{
	uint32_t n = 0;

	for (size_t i = 0; op->index && i < x->n_events; i++)
		if (x->events[i].thread == op->thread && vtb_event_is_operation(&x->events[i]) && ++n == op->index)
			return i;
	return VTB_EVENT_NONE;
}

struct vtb_op core_op_by_place(const struct vtb_core_op *op)
{
	return (struct vtb_op){
		.thread = op->thread,
		.index = VTB_OP_BY_SITE,
		.this_site = true,
		.name = { .kind = vtb_event_pending_kind(op->kind), .site = op->site, .occurrence = op->occurrence }
	};
}

struct vtb_op core_end_of(uint32_t thread)
{
	return (struct vtb_op){ .thread = thread,
		                .index = VTB_OP_BY_SITE,
		                .name = { .kind = VTB_E_PROCESS_EXIT, .site = VTB_NONE, .occurrence = UINT32_MAX } };
}

struct vtb_core_op core_op_at(const struct vtb_exec *x, size_t at)
{
	const struct vtb_event *e = &x->events[at];
	struct vtb_core_op op = { .thread = e->thread, .site = e->site, .var = e->var, .kind = e->kind };

	for (size_t i = 0; i <= at; i++) {
		op.index += x->events[i].thread == e->thread && vtb_event_is_operation(&x->events[i]);
		op.occurrence += x->events[i].thread == e->thread && x->events[i].site == e->site &&
		                 vtb_event_pending_kind(x->events[i].kind) == vtb_event_pending_kind(e->kind);
	}
	return op;
}

size_t core_birth_of(const struct vtb_symtab *tab, const struct vtb_exec *x, uint32_t thread)
{
	const struct vtb_thread *t = thread < tab->n_threads ? &tab->threads[thread] : NULL;
	uint32_t nth = 0;

	for (size_t i = 0; t && i < x->n_events; i++)
		if (x->events[i].kind == VTB_E_THREAD_CREATE && x->events[i].thread == t->parent && nth++ == t->nth)
			return i;
	return VTB_EVENT_NONE;
}
