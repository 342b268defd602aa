/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads take units of a semaphore one by one, and each has some when none are left. */
#include "classes.h"

static bool fits(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals; i++)
		if (v->core->literals[i].before.kind != VTB_E_SEM_WAIT ||
		    v->core->literals[i].after.kind != VTB_E_SEM_WAIT)
			return false;
	return core_hangs(v) && v->circle;
}

const struct vtb_core_class core_hold_and_wait = { .name = "hold-and-wait",
	                                           .text = "each holds a part of what it needs and waits for the rest",
	                                           .fits = fits };
