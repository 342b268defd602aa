/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a waiter had tested changes before it waits, since whoever changes it does not hold the waiter's mutex. */
#include "classes.h"

static bool waits_at_last(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = 0; i < x->n_pending; i++)
		if (x->pending[i].thread == thread && x->pending[i].kind == VTB_E_COND_WAKE)
			return true;
	return false;
}

/* The mutex under which the waiter tests, and which it gives back when it waits: also that of a condition which has
 * another one inside (std::condition_variable_any). VTB_NONE: the order is none of a test and a change without it. */
uint32_t core_predicate_mutex(const struct vtb_core_view *v, size_t literal)
{
	const struct vtb_order_literal *l = &v->core->literals[literal];
	const struct vtb_exec *x = &v->core->exec;
	const size_t test = v->before[literal].at, change = v->after[literal].at;
	const uint32_t mutex = test == VTB_EVENT_NONE ? VTB_NONE : core_some_lock(x, test);

	if (mutex == VTB_NONE || change == VTB_EVENT_NONE || !core_hangs(v) || !core_reads(&l->before) ||
	    !core_writes(&l->after) || !waits_at_last(x, l->before.thread))
		return VTB_NONE;
	return core_holds_lock(x, change, mutex) || core_keeps_lock(x, l->before.thread, mutex) ? VTB_NONE : mutex;
}

static bool fits(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals; i++)
		if (core_predicate_mutex(v, i) != VTB_NONE)
			return true;
	return false;
}

const struct vtb_core_class core_predicate_without_mutex = { .name = "predicate-without-mutex",
	                                                     .text = "the condition's predicate is changed without its "
	                                                             "mutex",
	                                                     .fits = fits };
