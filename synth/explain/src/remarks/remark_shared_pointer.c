/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several threads may count up and down what shared_ptrs point to; one and the same shared_ptr is data as any other. */
#include "remarks.h"

#include <stdio.h>
#include <string.h>

#include "classes/classes.h"
#include "vtb/short_name.h"

static bool is_pointers(const struct vtb_core_view *v, const struct vtb_core_op *op)
{
	const uint32_t site = remark_site(v, op, &v->core->exec);
	const char *via = site < v->tab->n_sites && v->tab->sites[site].via ? v->tab->sites[site].via : "";
	char name[300];

	/* counts are atomic operations, or updates of what is no part of it */
	if (op->kind != VTB_E_READ && op->kind != VTB_E_WRITE)
		return false;
	vtb_short_function(via, name, sizeof(name));
	return !strncmp(name, "shared_ptr::", 12) || !strncmp(name, "weak_ptr::", 10);
}

/* Does another thread, too, use it, and no lock keeps them apart? */
static bool is_shared(const struct vtb_core_view *v, size_t i)
{
	const struct vtb_order_literal *l = &v->core->literals[i];
	const size_t before = v->before[i].at, after = v->after[i].at;
	const uint32_t lock = before == VTB_EVENT_NONE ? VTB_NONE : core_some_lock(&v->core->exec, before);

	if (l->before.var == VTB_NONE || l->before.var != l->after.var || !is_pointers(v, &l->before) ||
	    !is_pointers(v, &l->after))
		return false;
	return lock == VTB_NONE || after == VTB_EVENT_NONE || !core_holds_lock(&v->core->exec, after, lock);
}

bool remark_shares_pointer(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals; i++)
		if (is_shared(v, i))
			return true;
	return false;
}

void remark_shared_pointer(const struct vtb_core_view *v, char *buf, size_t size)
{
	char name[300], reads[300], writes[300];

	for (size_t i = 0; i < v->core->n_literals; i++) {
		const struct vtb_order_literal *l = &v->core->literals[i];
		const bool writes_first = l->before.kind == VTB_E_WRITE;
		const struct vtb_core_op *write = writes_first ? &l->before : &l->after,
		                         *read = writes_first ? &l->after : &l->before;

		if (!is_shared(v, i))
			continue;
		snprintf(
		    buf, size,
		    "%s is one std::shared_ptr, which %s changes at %s while %s uses it at %s. Its count takes care of "
		    "what it points to, and of nothing else: hold one lock at both places, or make it a "
		    "std::atomic<std::shared_ptr>, and copy that",
		    vtb_told_variable(v->tab, l->before.var, name, sizeof(name)),
		    vtb_thread_path(v->tab, write->thread),
		    vtb_site_place(v->tab, remark_site(v, write, &v->core->exec), writes, sizeof(writes)),
		    vtb_thread_path(v->tab, read->thread),
		    vtb_site_place(v->tab, remark_site(v, read, &v->core->exec), reads, sizeof(reads)));
		return;
	}
}
