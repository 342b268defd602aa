/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A block is given back before another thread gives it back. */
#include <string.h>

#include "classes.h"

static bool fits(const struct vtb_core_view *v)
{
	const struct vtb_outcome *o = &v->core->exec.outcome;

	if (o->verdict == VTB_V_MEMORY && o->message && strstr(o->message, "freed twice"))
		return true;
	for (size_t i = 0; i < v->core->n_literals; i++)
		if (v->core->literals[i].before.kind == VTB_E_FREE && v->core->literals[i].after.kind == VTB_E_FREE)
			return o->verdict == VTB_V_MEMORY;
	return false;
}

const struct vtb_core_class core_double_free = { .name = "double-free", .text = "freed twice", .fits = fits };
