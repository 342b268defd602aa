/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which conflicts between kept events to draw: for each, the nearest earlier conflicting access of each other thread,
 * unless a later one stands between. In a deadlock: who holds what the waiting thread wants.
 */
#include <errno.h>

#include "select_priv.h"
#include "vtb/array.h"

static int add_order(struct selecting *c, size_t before, size_t after)
{
	if (c->s->n_orders >= c->limits.orders)
		return 0;
	if (vtb_array_room(c->s, orders) < 0)
		return -ENOMEM;
	c->s->orders[c->s->n_orders++] = (struct order){ before, after };
	return 0;
}

static bool writes(const struct vtb_event *e)
{
	return vtb_event_is(e, VTB_EV_WRITES);
}

static bool fails_in(const struct selecting *c, uint32_t thread)
{
	for (size_t i = 0; i < c->s->n_failing; i++)
		if (c->trace->events[c->s->failing[i]].thread == thread)
			return true;
	return false;
}

/* Orders that creation and join force are no news, except to show where the failing thread's value came from. */
static bool is_news(const struct selecting *c, size_t before, size_t after)
{
	return fails_in(c, c->trace->events[after].thread) ||
	       vtb_orderindex_compare(c->forced, before, after) == VTB_CONCURRENT;
}

/* Has this thread an arrow into event i already? Its nearest access is enough. */
static bool drawn_from(const struct selecting *c, uint32_t thread, size_t i)
{
	for (size_t k = c->s->n_orders; k-- > 0 && c->s->orders[k].after == i;)
		if (c->trace->events[c->s->orders[k].before].thread == thread)
			return true;
	return false;
}

/* The conflicting accesses just before event i: back to the last write, which orders all that came earlier. */
static int orders_into(struct selecting *c, size_t i)
{
	const struct vtb_event *events = c->trace->events;

	for (size_t k = i; k-- > 0;) {
		if (!c->s->keep[k] || !is_access(&events[k]) || !vtb_event_overlap(&events[k], &events[i]))
			continue;
		if (vtb_event_conflict(&events[k], &events[i]) && !drawn_from(c, events[k].thread, i) &&
		    is_news(c, k, i))
			if (add_order(c, k, i) < 0)
				return -ENOMEM;
		if (writes(&events[k]))
			return 0;
	}
	return 0;
}

static int find_orders(struct selecting *c)
{
	for (size_t i = 0; i < c->trace->n_events; i++) {
		const struct vtb_event *e = &c->trace->events[i];

		if (c->s->keep[i] && is_access(e) && orders_into(c, i) < 0)
			return -ENOMEM;
		if (c->s->keep[i] && e->kind == VTB_E_PENDING) {
			const size_t holder = select_holder(c->trace, e->var, i);

			if (holder != SELECT_NO_EVENT && c->trace->events[holder].thread != e->thread &&
			    c->s->keep[holder] && add_order(c, holder, i) < 0)
				return -ENOMEM;
		}
	}
	return 0;
}

int select_orders(struct selecting *c)
{
	int r = vtb_orderindex_new(c->trace, VTB_SYNCORDER_THREADS_ONLY, &c->forced);

	if (r < 0)
		return r;
	r = find_orders(c);
	vtb_orderindex_free(c->forced);
	c->forced = NULL;
	return r;
}
