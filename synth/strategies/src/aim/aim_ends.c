/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who ends the program while others have still something to do: it is stopped before that, and they go on. */
#include "aim.h"

#define COST_OF_END 2u

uint32_t aim_done_at(const struct vtb_exec *x, uint32_t thread, uint32_t row)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < row; i++)
		done += x->events[i].thread == thread && vtb_event_is_operation(&x->events[i]);
	return done;
}

int aim_add_stop(struct aim_look *l, struct aim_stop stop, uint32_t cost)
{
	struct aim_shot shot = *l->shot;

	shot.stops[shot.n_stops++] = stop;
	return aim_queue(l->s, shot, cost > shot.cost ? cost : shot.cost + 1);
}

/* Behind its last writes. */
static int stop_anywhere(struct aim_look *l, uint32_t thread)
{
	struct aim *s = l->s;
	uint32_t done = aim_done_at(l->x, thread, (uint32_t)l->x->n_events), n = 0;
	int r = 0;

	for (uint32_t i = (uint32_t)l->x->n_events; r >= 0 && i-- > 0 && n < AIM_PARTNERS;) {
		const struct vtb_event *e = &l->x->events[i];

		if (e->thread != thread || !vtb_event_is_operation(e))
			continue;
		if (aim_could_meet(s, e) && aim_writes(e))
			r = aim_add_stop(
			    l, (struct aim_stop){ .thread = thread, .index = done, .var = e->var, .site = e->site },
			    COST_OF_END + n++);
		done--;
	}
	return r;
}

/* Behind the last operation that conflicts with what the other one is about to do. */
static int stop_for(struct aim_look *l, uint32_t thread, const struct vtb_event *pending)
{
	uint32_t i = (uint32_t)l->x->n_events;

	while (i-- > 0) {
		const struct vtb_event *e = &l->x->events[i];

		if (e->thread != thread || !vtb_event_is_operation(e) ||
		    vtb_event_info(e->kind)->family == VTB_FAMILY_THREAD)
			continue;
		if ((e->var == pending->var && (aim_writes(e) || aim_writes(pending))) ||
		    aim_gives_back(e, pending->addr))
			return aim_add_stop(l,
			                    (struct aim_stop){ .thread = thread,
			                                       .index = aim_done_at(l->x, thread, i + 1),
			                                       .var = e->var,
			                                       .site = e->site },
			                    COST_OF_END);
	}
	return 0;
}

int aim_stop_before_end(struct aim_look *l)
{
	const struct vtb_exec *x = l->x;
	const uint32_t thread = x->n_events ? x->events[x->n_events - 1].thread : VTB_NONE;
	const struct aim_shot *shot = l->shot;
	int r = 0;

	if (!x->n_pending || x->outcome.verdict != VTB_V_NONE || shot->n_stops == AIM_STOPS)
		return 0;
	for (size_t k = 0; r >= 0 && k < x->n_pending && k < AIM_PARTNERS; k++)
		if (x->pending[k].thread != thread && x->pending[k].var != VTB_NONE)
			r = stop_for(l, thread, &x->pending[k]);
	return r < 0 || shot->n_stops ? r : stop_anywhere(l, thread);
}
