/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A block is given back before another thread's last access to it: what became of memory is known, whatever the orders
 * look like. */
#include <string.h>

#include "classes.h"

static bool fits(const struct vtb_core_view *v)
{
	const struct vtb_outcome *o = &v->core->exec.outcome;

	if (o->verdict == VTB_V_MEMORY && o->message && strstr(o->message, "after it was freed"))
		return true;
	for (size_t i = 0; i < v->core->n_literals; i++)
		if (v->core->literals[i].before.kind == VTB_E_FREE)
			return o->verdict == VTB_V_MEMORY || o->verdict == VTB_V_SIGNAL;
	return false;
}

const struct vtb_core_class core_use_after_free = { .name = "use-after-free", .text = "use after free", .fits = fits };
