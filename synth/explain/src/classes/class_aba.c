/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A compare-exchange succeeds because a value has come back: others changed it, and changed it back. */
#include "classes.h"

/* Others write to the variable between two places: something else first, and at last what was read at `from`. */
static bool changed_and_back(const struct vtb_exec *x, size_t from, size_t to)
{
	bool changed = false, back = false;

	for (size_t i = from + 1; i < to; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread == x->events[from].thread || !vtb_event_is(e, VTB_EV_WRITES) ||
		    !vtb_event_overlap(e, &x->events[from]))
			continue;
		back = changed && e->value == x->events[from].value;
		changed |= e->value != x->events[from].value;
	}
	return back;
}

bool core_exchanged_same(const struct vtb_exec *x, size_t exchange)
{
	for (size_t i = exchange; i-- > 0;) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != x->events[exchange].thread || !vtb_event_overlap(e, &x->events[exchange]))
			continue;
		return e->kind == VTB_E_ATOMIC_LOAD && changed_and_back(x, i, exchange);
	}
	return false;
}

static bool fits(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals; i++)
		if (v->core->literals[i].after.kind == VTB_E_ATOMIC_RMW && v->after[i].at != VTB_EVENT_NONE &&
		    core_exchanged_same(&v->core->exec, v->after[i].at))
			return true;
	return false;
}

const struct vtb_core_class core_aba = { .name = "aba",
	                                 .text = "a value that came back is taken for unchanged (ABA)",
	                                 .fits = fits };
