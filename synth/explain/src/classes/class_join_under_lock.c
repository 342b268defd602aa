/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread waits for the end of another, and holds a lock that the other waits for. */
#include "classes.h"

static uint32_t joined(const struct vtb_event *join, const struct vtb_symtab *tab)
{
	const uint32_t object = join->kind == VTB_E_THREAD_JOIN && join->var < tab->n_variables
	                            ? tab->variables[join->var].object
	                            : VTB_NONE;

	return object < tab->n_objects && tab->objects[object].kind == VTB_OBJ_THREAD ? tab->objects[object].thread
	                                                                              : VTB_NONE;
}

bool core_joins_under_lock(const struct vtb_exec *x, const struct vtb_symtab *tab, size_t *ret_join, size_t *ret_taker)
{
	for (size_t i = 0; i < x->n_pending; i++) {
		const uint32_t thread = joined(&x->pending[i], tab);

		for (size_t k = 0; thread != VTB_NONE && k < x->n_pending; k++) {
			if (x->pending[k].thread != thread ||
			    !core_keeps_lock(x, x->pending[i].thread, x->pending[k].var))
				continue;
			*ret_join = i;
			*ret_taker = k;
			return true;
		}
	}
	return false;
}

static bool fits(const struct vtb_core_view *v)
{
	size_t join, taker;

	return v->core->exec.outcome.verdict == VTB_V_DEADLOCK &&
	       core_joins_under_lock(&v->core->exec, v->tab, &join, &taker);
}

const struct vtb_core_class core_join_under_lock = { .name = "join-under-lock",
	                                             .text = "a thread's end is waited for under a lock that it takes",
	                                             .fits = fits };
