/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a thread waits for changes while it waits, and nobody signals the condition after that. */
#include "classes.h"

static bool is_signal(const struct vtb_event *e, uint32_t condition)
{
	return (e->kind == VTB_E_COND_SIGNAL || e->kind == VTB_E_COND_BROADCAST) && e->var == condition;
}

/* Has the thread begun its wait before event `change`, and was nothing signalled since? */
static bool sleeps_through(const struct vtb_exec *x, const struct vtb_event *pending, size_t change)
{
	for (size_t i = x->n_events; i-- > 0;) {
		const struct vtb_event *e = &x->events[i];

		if (i > change && is_signal(e, pending->var))
			return false;
		if (e->thread == pending->thread && e->kind == VTB_E_COND_WAIT)
			return i < change;
	}
	return false;
}

static bool is_slept_through(const struct vtb_core_view *v, size_t literal)
{
	const struct vtb_exec *x = &v->core->exec;
	const struct vtb_order_literal *l = &v->core->literals[literal];

	if (!core_reads(&l->before) || !core_writes(&l->after) || v->after[literal].at == VTB_EVENT_NONE)
		return false;
	for (size_t i = 0; i < x->n_pending; i++)
		if (x->pending[i].thread == l->before.thread && x->pending[i].kind == VTB_E_COND_WAKE &&
		    x->pending[i].var != VTB_NONE && sleeps_through(x, &x->pending[i], v->after[literal].at))
			return true;
	return false;
}

static bool fits(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals && core_hangs(v); i++)
		if (is_slept_through(v, i))
			return true;
	return false;
}

const struct vtb_core_class core_not_signalled = { .name = "not-signalled",
	                                           .text = "what is waited for changes, and nobody signals it",
	                                           .fits = fits };
