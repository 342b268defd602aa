/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks are taken in a circle. */
#include "classes.h"

static bool fits(const struct vtb_core_view *v)
{
	return v->core->exec.outcome.verdict == VTB_V_DEADLOCK;
}

const struct vtb_core_class core_deadlock = { .name = "deadlock", .text = "locks taken in a circle", .fits = fits };
