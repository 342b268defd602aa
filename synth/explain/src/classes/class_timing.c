/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that came too early had slept, or waited with a deadline: it took time for an order. */
#include "classes.h"

static bool let_time_pass(const struct vtb_exec *x, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (x->events[i].thread == x->events[at].thread &&
		    (x->events[i].kind == VTB_E_SLEEP ||
		     (x->events[i].flags & VTB_EVF_DEVIATED && x->events[i].deviation == VTB_DEV_TIMEOUT)))
			return true;
	return false;
}

static bool fits(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals && !v->circle; i++)
		if (v->before[i].at != VTB_EVENT_NONE && let_time_pass(&v->core->exec, v->before[i].at))
			return true;
	return false;
}

const struct vtb_core_class core_timing = { .name = "timing-assumption",
	                                    .text = "time is taken for an order",
	                                    .fits = fits };
