/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One signal where several wait: it woke another one than the one that is left. */
#include "classes.h"

/* A signal on what `pending` waits for, after it began to wait, that did wake somebody. */
static bool another_was_woken(const struct vtb_exec *x, const struct vtb_event *pending)
{
	for (size_t i = x->n_events; i-- > 0;) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread == pending->thread && e->kind == VTB_E_COND_WAIT)
			return false;
		if (e->kind == VTB_E_COND_SIGNAL && e->var == pending->var && e->flags & VTB_EVF_VALUE && e->value)
			return true;
	}
	return false;
}

static bool fits(const struct vtb_core_view *v)
{
	const struct vtb_exec *x = &v->core->exec;

	for (size_t i = 0; i < x->n_pending && core_hangs(v); i++)
		if (x->pending[i].kind == VTB_E_COND_WAKE && another_was_woken(x, &x->pending[i]))
			return true;
	return false;
}

const struct vtb_core_class core_too_few_woken = { .name = "too-few-woken",
	                                           .text = "one signal where several wait",
	                                           .fits = fits };
