/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A block is given back before another thread's last access to it. */
#include "classes.h"

static bool fits(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals; i++)
		if (v->core->literals[i].before.kind == VTB_E_FREE)
			return v->core->exec.outcome.verdict == VTB_V_MEMORY ||
			       v->core->exec.outcome.verdict == VTB_V_SIGNAL;
	return false;
}

const struct vtb_core_class core_use_after_free = { .name = "use-after-free", .text = "use after free", .fits = fits };
