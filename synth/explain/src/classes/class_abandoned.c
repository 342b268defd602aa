/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread has ended while it held a lock that another one waits for: whatever led it there, it is not to leave so. */
#include "classes.h"

static bool has_ended(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = x->n_events; i-- > 0;)
		if (x->events[i].thread == thread && x->events[i].kind == VTB_E_THREAD_END)
			return true;
	return false;
}

static bool fits(const struct vtb_core_view *v)
{
	const struct vtb_exec *x = &v->core->exec;

	for (size_t i = 0; i < x->n_pending && (core_hangs(v) || x->outcome.verdict == VTB_V_DEADLOCK); i++) {
		const size_t taken =
		    core_wants_lock(&x->pending[i]) ? vtb_exec_holder(x, x->pending[i].var, VTB_NONE) : VTB_EVENT_NONE;

		if (taken != VTB_EVENT_NONE && has_ended(x, x->events[taken].thread))
			return true;
	}
	return false;
}

const struct vtb_core_class core_abandoned = { .name = "abandoned-lock",
	                                       .text = "a thread ends while it holds a lock",
	                                       .fits = fits };
