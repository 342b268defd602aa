/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who waits for a condition is woken, and others come in before it has looked again. */
#include <errno.h>
#include <string.h>

#include "aim.h"

bool aim_is_stopped(const struct aim_shot *shot, uint32_t thread)
{
	for (uint32_t i = 0; i < shot->n_stops; i++)
		if (!shot->stops[i].chance && shot->stops[i].thread == thread)
			return true;
	return false;
}

/* Of each class one will do, besides those that are stopped. */
static bool is_looked_at(struct aim *s, const struct aim_shot *shot, uint32_t thread)
{
	const uint64_t key = aim_is_stopped(shot, thread) ? thread : 1ull << 32 | aim_class_of(s, thread);
	uint64_t *times = vtb_map64_put(&s->met, key, 0);

	return !times || (*times)++;
}

/* Orders of critical sections matter by what is done in them. */
bool aim_could_meet(const struct aim *s, const struct vtb_event *e)
{
	const enum vtb_family family = vtb_event_info(e->kind)->family;

	return vtb_event_is_operation(e) && e->var != VTB_NONE && family != VTB_FAMILY_THREAD &&
	       family != VTB_FAMILY_MUTEX && vtb_coverage_shared(s->space->coverage, e->var);
}

/* Does anybody do something later that conflicts with what the thread does from event i on? */
static int is_met_later(struct aim *s, const struct vtb_exec *x, uint32_t thread, uint32_t i, bool *ret)
{
	*ret = false;
	vtb_map64_clear(&s->touched);
	for (; !*ret && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		uint64_t *bits;

		if (!aim_could_meet(s, e))
			continue;
		bits = vtb_map64_put(&s->touched, e->var, 0);
		if (!bits)
			return -ENOMEM;
		if (e->thread == thread)
			*bits |= 1u + aim_writes(e);
		else
			*ret = *bits > !aim_writes(e);
	}
	return 0;
}

/* Who has woken the thread that waits from event i on; VTB_NONE: nobody. */
static uint32_t who_woke(const struct vtb_exec *x, uint32_t i)
{
	const uint32_t waits = x->events[i].thread, cond = x->events[i].var;
	uint32_t by = VTB_NONE;

	for (i++; i < x->n_events && x->events[i].thread != waits; i++)
		if (x->events[i].var == cond && x->events[i].kind != VTB_E_COND_WAIT &&
		    x->events[i].kind != VTB_E_COND_WAKE)
			by = x->events[i].thread;
	return by;
}

static int note_rest(struct aim *s, const struct vtb_exec *x, uint32_t i)
{
	const uint32_t thread = x->events[i].thread;

	vtb_map64_clear(&s->touched);
	for (i++; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		uint64_t *bits =
		    e->thread == thread && aim_could_meet(s, e) ? vtb_map64_put(&s->touched, e->var, 0) : NULL;

		if (bits)
			*bits |= 1u + aim_writes(e);
		else if (e->thread == thread && aim_could_meet(s, e))
			return -ENOMEM;
	}
	return 0;
}

/* Is the thread another one that conflicts with what was noted, and the first of its routine that is? */
static bool comes_in(const struct aim *s, const struct vtb_event *e, const struct aim_shot *shot,
                     const uint32_t *before, uint32_t n)
{
	uint64_t bits = 0;

	if (!e->thread || e->thread == shot->first || e->thread == shot->second || !aim_could_meet(s, e))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (before[i] == e->thread || aim_is_like(s, before[i], e->thread))
			return false;
	vtb_map64_get(&s->touched, e->var, &bits);
	return bits > !aim_writes(e);
}

/* Who waited first, who woke it, one more, and it goes on before the others. */
static int let_one_in(struct aim_look *l, struct aim_shot shot, uint32_t i)
{
	struct aim *s = l->s;
	uint32_t in[AIM_PARTNERS], n = 0;
	int r = note_rest(s, l->x, i);

	shot.second = who_woke(l->x, i);
	shot.soon = true;
	for (uint32_t k = 0; r >= 0 && shot.second != VTB_NONE && n < AIM_PARTNERS && k < l->x->n_events; k++) {
		if (!comes_in(s, &l->x->events[k], &shot, in, n))
			continue;
		shot.third = in[n++] = l->x->events[k].thread;
		r = aim_queue(s, shot, shot.cost);
	}
	return r;
}

/* Who waits for a condition is woken, and somebody else comes in between: this costs no preemption. */
int aim_wake_last(struct aim_look *l)
{
	struct aim *s = l->s;
	const uint32_t from = l->shot->n_stops ? aim_behind(l->x, &l->shot->stops[l->shot->n_stops - 1]) : 0;
	int r = 0;

	vtb_map64_clear(&s->met);
	memset(s->done, 0, s->n_done * sizeof(*s->done));
	for (uint32_t i = 0; r >= 0 && i < l->x->n_events; i++) {
		const struct vtb_event *e = &l->x->events[i];
		struct aim_shot shot = *l->shot;
		bool met;

		s->done[e->thread] += vtb_event_is_operation(e);
		if (i < from || e->kind != VTB_E_COND_WAIT || is_looked_at(s, &shot, e->thread))
			continue;
		r = is_met_later(s, l->x, e->thread, i + 1, &met);
		if (r < 0 || !met)
			continue;
		shot.stops[shot.n_stops++] = (struct aim_stop){
			.thread = e->thread, .index = s->done[e->thread], .var = e->var, .site = e->site, .waits = true
		};
		r = aim_queue(s, shot, shot.cost);
		if (r >= 0 && !l->shot->n_stops && l->shot->first == e->thread)
			r = let_one_in(l, shot, i);
	}
	return r;
}

/* Somebody did wait: of those that came in between one may stop half-way. */
int aim_stop_between(struct aim_look *l, const struct aim_stop *wait)
{
	struct aim *s = l->s;
	uint32_t looked = 0;
	int r = 0;

	l->partner = wait->thread;
	l->from = aim_behind(l->x, wait);
	if (l->from == VTB_NONE)
		return 0;
	for (l->to = l->from; l->to < l->x->n_events && l->x->events[l->to].thread != wait->thread;)
		l->to++;
	vtb_map64_clear(&s->met);
	for (uint32_t i = l->from; r >= 0 && i < l->to && looked < AIM_PARTNERS; i++) {
		l->thread = l->x->events[i].thread;
		if (is_looked_at(s, l->shot, l->thread))
			continue;
		r = aim_stops_of(l);
		looked++;
	}
	return r;
}
