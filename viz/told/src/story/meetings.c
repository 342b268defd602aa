/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "meetings.h"

void vtb_meetings_fini(struct vtb_meetings *m)
{
	vtb_map64_fini(&m->arrivals);
	*m = (struct vtb_meetings){ 0 };
}

static struct vtb_meeting *find(struct vtb_meetings *m, uint32_t barrier)
{
	for (uint32_t i = 0; i < m->n_barriers; i++)
		if (m->barriers[i].barrier == barrier)
			return &m->barriers[i];
	if (m->n_barriers == VTB_MEETINGS_MAX)
		return NULL;
	m->barriers[m->n_barriers] = (struct vtb_meeting){ .barrier = barrier };
	return &m->barriers[m->n_barriers++];
}

static bool leaves(struct vtb_meeting *b, uint64_t arrival)
{
	if (arrival > b->to) { /* the first one to leave */
		b->from = b->to;
		b->to = b->arrived;
		b->marked = b->next;
		b->next = false;
	}
	return b->marked && arrival > b->from;
}

bool vtb_meetings_feed(struct vtb_meetings *m, const struct vtb_event *e, bool mark)
{
	const bool arrives = e->kind == VTB_E_BARRIER_ARRIVE;
	const uint64_t key = (uint64_t)e->var << 32 | e->thread;
	struct vtb_meeting *b = arrives || e->kind == VTB_E_BARRIER_LEAVE ? find(m, e->var) : NULL;
	uint64_t arrival = 0;

	if (!b)
		return false;
	if (!arrives)
		return vtb_map64_get(&m->arrivals, key, &arrival) && leaves(b, arrival);
	b->arrived++;
	b->next |= vtb_map64_set(&m->arrivals, key, b->arrived) >= 0 && mark;
	return false;
}
