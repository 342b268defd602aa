/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A signal wakes another one of those who wait than the first. Where they wait at different places they wait for
 * different things: who is woken for nothing waits again, and nobody wakes the other one.
 */
#include <errno.h>
#include <string.h>

#include "aim.h"
#include "vtb/rng.h"

#define COST_OF_OTHER 1u /* it waits at another place */
#define COST_OF_LIKE 4u  /* at the same place, in another routine */
#define COST_OF_SAME 3u  /* signals and waits at places at which it was tried before */
#define WAITING_MOST 8u  /* of those who wait at a signal so many are looked at */

/* Who has waited longest of those that have come behind *ticket; VTB_NONE: nobody. */
static uint32_t waiter_behind(const struct vtb_chances *c, uint32_t var, uint32_t *ticket)
{
	uint32_t thread = VTB_NONE, least = UINT32_MAX;

	for (uint32_t t = 0; t < c->n_waiters; t++) {
		const struct vtb_chance_waiter *w = &c->waiters[t];

		if (!w->event.kind || w->event.var != var || w->signalled || w->ticket <= *ticket || w->ticket > least)
			continue;
		least = w->ticket;
		thread = t;
	}
	*ticket = least;
	return thread;
}

/* Threads of one routine that wait at one place wait for the same. */
static int wake(struct aim_look *l, uint32_t i, uint32_t place, const struct vtb_event *first,
                const struct vtb_event *other)
{
	struct aim *s = l->s;
	const struct vtb_event *e = &l->x->events[i];
	const bool same = first->site == other->site;
	const uint64_t where = vtb_mix64(vtb_mix64((uint64_t)e->site << 32 | first->site) + other->site);
	uint64_t *times;

	if (same && aim_is_like(s, first->thread, other->thread))
		return 0;
	times = vtb_map64_put(&s->met, where, 0);
	if (!times)
		return -ENOMEM;
	return aim_add_stop(l,
	                    (struct aim_stop){ .thread = e->thread,
	                                       .index = s->done[e->thread],
	                                       .var = e->var,
	                                       .site = e->site,
	                                       .chance = VTB_DEV_WAITER,
	                                       .target = place,
	                                       .next = VTB_NONE },
	                    (same ? COST_OF_LIKE : COST_OF_OTHER) + COST_OF_SAME * (uint32_t)(*times)++);
}

/* Event i signals. */
static int wake_others_at(struct aim_look *l, uint32_t i)
{
	const struct vtb_chances *c = &l->s->chances;
	const uint32_t var = l->x->events[i].var;
	uint32_t ticket = 0, other = 0;
	const uint32_t first = waiter_behind(c, var, &ticket);
	int r = 0;

	for (uint32_t place = 1; r >= 0 && first != VTB_NONE && other != VTB_NONE && place < WAITING_MOST; place++) {
		other = waiter_behind(c, var, &ticket);
		if (other != VTB_NONE)
			r = wake(l, i, place, &c->waiters[first].event, &c->waiters[other].event);
	}
	return r;
}

int aim_wake_others(struct aim_look *l)
{
	struct aim *s = l->s;
	const struct vtb_exec *x = l->x;
	int r = 0;

	if (!(x->kinds >> VTB_DEV_WAITER & 1) || l->shot->n_stops == AIM_STOPS)
		return 0;
	vtb_chances_begin(&s->chances, x);
	vtb_map64_clear(&s->met);
	memset(s->done, 0, s->n_done * sizeof(*s->done));
	for (uint32_t i = 0; r >= 0 && s->chances.any && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->kind == VTB_E_COND_SIGNAL && i >= l->from && !(e->flags & VTB_EVF_DEVIATED))
			r = wake_others_at(l, i);
		s->done[e->thread] += vtb_event_is_operation(e);
		r = r < 0 ? r : vtb_chances_feed(&s->chances, i);
	}
	return r;
}
