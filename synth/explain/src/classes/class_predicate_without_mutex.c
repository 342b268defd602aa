/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a waiter had tested changes before it waits, since whoever changes it does not hold the waiter's mutex. */
#include "classes.h"

/* The mutex of the condition that the thread waits for at the end of the run, or VTB_NONE. */
static uint32_t mutex_of_waiter(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = 0; i < x->n_pending; i++)
		if (x->pending[i].thread == thread && x->pending[i].kind == VTB_E_COND_WAKE)
			for (size_t k = x->n_events; k-- > 0;)
				if (x->events[k].thread == thread && x->events[k].kind == VTB_E_COND_WAIT)
					return x->events[k].aux;
	return VTB_NONE;
}

static bool fits(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals && core_hangs(v); i++) {
		const struct vtb_order_literal *l = &v->core->literals[i];
		const uint32_t mutex = mutex_of_waiter(&v->core->exec, l->before.thread);

		if (mutex != VTB_NONE && core_reads(&l->before) && core_writes(&l->after) &&
		    v->after[i].at != VTB_EVENT_NONE && core_holds_lock(&v->core->exec, v->before[i].at, mutex) &&
		    !core_holds_lock(&v->core->exec, v->after[i].at, mutex))
			return true;
	}
	return false;
}

const struct vtb_core_class core_predicate_without_mutex = { .name = "predicate-without-mutex",
	                                                     .text = "the condition's predicate is changed without its "
	                                                             "mutex",
	                                                     .fits = fits };
