/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread asks for a lock that it has. */
#include "classes.h"

bool core_waits_for_itself(const struct vtb_exec *x)
{
	for (size_t i = 0; i < x->n_pending; i++)
		if (core_wants_lock(&x->pending[i]) && core_keeps_lock(x, x->pending[i].thread, x->pending[i].var))
			return true;
	return false;
}

static bool fits(const struct vtb_core_view *v)
{
	return v->core->exec.outcome.verdict == VTB_V_DEADLOCK && core_waits_for_itself(&v->core->exec);
}

const struct vtb_core_class core_self_deadlock = { .name = "self-deadlock",
	                                           .text = "a thread locks again what it holds",
	                                           .fits = fits };
