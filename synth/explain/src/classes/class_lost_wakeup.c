/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A signal came before the wait that needed it. */
#include "classes.h"

static bool wakes(unsigned kind)
{
	return kind == VTB_E_COND_SIGNAL || kind == VTB_E_COND_BROADCAST || kind == VTB_E_FUTEX_WAKE;
}

static bool fits(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals && core_hangs(v); i++)
		if (wakes(v->core->literals[i].before.kind) && (v->core->literals[i].after.kind == VTB_E_COND_WAIT ||
		                                                v->core->literals[i].after.kind == VTB_E_FUTEX_WAIT))
			return true;
	return false;
}

const struct vtb_core_class core_lost_wakeup = { .name = "lost-wakeup", .text = "lost wake-up", .fits = fits };
