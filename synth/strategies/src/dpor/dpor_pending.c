/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations that threads had still to do when the run ended: each might have come before what it depends on. */
#include "dpor.h"
#include "vtb/wire.h"

/* The thread that ended the run has no next operation. */
static uint32_t who_ended(const struct dpor *d)
{
	const struct dpor_op *last = d->n_levels ? &d->levels[d->n_levels - 1].op : NULL;

	return last && (last->world || last->event.kind == VTB_E_PROCESS_EXIT) ? last->event.thread : VTB_NONE;
}

/* The level behind the fork with whose child control went, or DPOR_NONE. */
static uint32_t behind_fork(const struct dpor *d)
{
	for (size_t i = 0; i < d->n_levels; i++)
		if (d->levels[i].op.event.kind == VTB_E_FORK && d->levels[i].op.event.value)
			return (uint32_t)i + 1;
	return DPOR_NONE;
}

/* Of the threads that there were before the child has the one that forked. */
static bool is_in_child(const struct dpor *d, uint32_t from, const struct vtb_event *pending)
{
	const uint32_t last = d->last[pending->thread];

	if (last > from || d->levels[from - 1].op.event.thread == pending->thread)
		return true;
	for (size_t i = from; i < d->n_levels && !last; i++)
		if (d->levels[i].op.event.kind == VTB_E_THREAD_CREATE && d->levels[i].op.event.var == pending->var)
			return true;
	return false;
}

int vtb_dpor_find_pending_races(struct dpor *d, const struct vtb_exec *x)
{
	const uint32_t ended = who_ended(d);
	const uint32_t from = x->outcome.flags & VTB_OUT_FOLLOWED ? behind_fork(d) : DPOR_NONE;
	int r = 0;

	for (size_t k = 0; r >= 0 && k < x->n_pending; k++) {
		d->gone_from = from == DPOR_NONE || is_in_child(d, from, &x->pending[k]) ? DPOR_NONE : from;
		if (x->pending[k].thread != ended)
			r = vtb_dpor_order_pending(d, &(struct dpor_op){ .event = x->pending[k] }, k);
	}
	return r;
}
