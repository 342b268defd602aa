/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A block is given back before another thread gives it back. */
#include "classes.h"

static bool fits(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals; i++)
		if (v->core->literals[i].before.kind == VTB_E_FREE && v->core->literals[i].after.kind == VTB_E_FREE)
			return v->core->exec.outcome.verdict == VTB_V_MEMORY;
	return false;
}

const struct vtb_core_class core_double_free = { .name = "double-free", .text = "freed twice", .fits = fits };
