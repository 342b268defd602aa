/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads go on, and none gets anywhere: which order led them there is no order that anybody asked for. */
#include "classes.h"

static bool fits(const struct vtb_core_view *v)
{
	return v->core->exec.outcome.verdict == VTB_V_LIVELOCK;
}

const struct vtb_core_class core_livelock = { .name = "livelock", .text = "livelock", .fits = fits };
