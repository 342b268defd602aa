/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread waits to be woken, and holds a lock beside the one that it gives back for so long: whoever could wake it
 * waits for that. */
#include "classes.h"

/* Its wait is one that another thread ends by doing something, not by letting a lock go. */
static bool waits_idly(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = 0; i < x->n_pending; i++)
		if (x->pending[i].thread == thread) {
			const enum vtb_family family = vtb_event_info(x->pending[i].kind)->family;

			return family == VTB_FAMILY_COND || family == VTB_FAMILY_SEM || family == VTB_FAMILY_FUTEX ||
			       family == VTB_FAMILY_BARRIER;
		}
	return false;
}

static bool waits_for_lock_of(const struct vtb_exec *x, uint32_t thread, uint32_t owner)
{
	for (size_t i = 0; i < x->n_pending; i++)
		if (x->pending[i].thread == thread && core_wants_lock(&x->pending[i]) &&
		    core_keeps_lock(x, owner, x->pending[i].var))
			return true;
	return false;
}

/* It depends on what the other thread would have done first, the lock or what comes after it: a wait that nobody would
 * have ended anyhow is another mistake, whoever is kept out meanwhile. */
static bool fits(const struct vtb_core_view *v)
{
	const struct vtb_exec *x = &v->core->exec;

	for (size_t i = 0; i < v->core->n_literals && core_hangs(v); i++) {
		const struct vtb_order_literal *l = &v->core->literals[i];

		if (v->after[i].at == VTB_EVENT_NONE && waits_idly(x, l->before.thread) &&
		    waits_for_lock_of(x, l->after.thread, l->before.thread))
			return true;
	}
	return false;
}

const struct vtb_core_class core_wait_under_lock = {
	.name = "wait-under-lock", .text = "a thread waits to be woken and holds a lock that others need", .fits = fits
};
