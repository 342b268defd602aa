/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stops of a thread between two operations that both conflict with what another one does. */
#include <errno.h>

#include "aim.h"

#define GAIN_BETWEEN 4u
#define COST_OF_THIRD 5u /* what it meets next is somebody else's */
#define COST_OF_SLEEP 1u
#define COST_OF_BEHIND 2u /* of who came before it */
#define COST_OF_WOULD 7u  /* nobody has done it in the run, and somebody would */

/* Is it as good as the lowest of its class, which is neither of these? */
static bool is_double(const struct aim *s, uint32_t thread, uint32_t one, uint32_t another)
{
	const uint32_t class = aim_class_of(s, thread);

	return class != thread && class != one && class != another;
}

/* ---- stops of one thread */

static int read_ops(struct aim_look *l)
{
	struct aim *s = l->s;

	uint32_t held = VTB_NONE;

	s->n_ops = 0;
	l->base = 0;
	for (uint32_t i = 0; i < l->x->n_events; i++) {
		const struct vtb_event *e = &l->x->events[i];

		if (e->thread != l->thread || !vtb_event_is_operation(e))
			continue;
		if (i < l->from) {
			aim_hold(&held, e);
			l->base++;
			continue;
		}
		aim_hold(&held, e);
		if (vtb_array_room(s, ops) < 0 || vtb_array_extend(s, locks, s->n_ops + 1, VTB_NONE) < 0)
			return -ENOMEM;
		s->locks[s->n_ops] = held;
		s->ops[s->n_ops++] = i;
	}
	return 0;
}

/* Does the other thread do something after event i that it matters to in which order it comes? */
static bool conflicts(const struct aim_look *l, const struct aim_last *last, uint32_t i)
{
	const uint32_t at = aim_last_of(l->s, last, l->thread, !aim_writes(&l->x->events[i]));

	return at != VTB_NONE && (l->whenever || at > i) && aim_lives_at(l->s, last->thread, l->thread, i);
}

/* The other one would not come to it: it needs the lock that the stopped one holds. (If that one asks for another lock
 * next, this is where a deadlock begins.) */
static bool waits(const struct aim_look *l, uint32_t place, const struct aim_last *last)
{
	const struct aim *s = l->s;
	const struct vtb_event *e = &l->x->events[s->ops[place]];
	const uint32_t held = s->locks[place];

	if (held == VTB_NONE || (!aim_keeps_out(held, last->lock) && e->var != (held & ~AIM_SHARED) &&
	                         aim_other_var(e) != (held & ~AIM_SHARED)))
		return false;
	return place + 1 == s->n_ops || !vtb_event_is(&l->x->events[s->ops[place + 1]], VTB_EV_ACQUIRE) ||
	       !aim_is_lock(&l->x->events[s->ops[place + 1]]);
}

int aim_shoot(struct aim_look *l, uint32_t place, uint32_t var, uint32_t partner, uint32_t cost)
{
	struct aim_shot shot = *l->shot;

	const struct aim_span *span = aim_span_at(l->s, partner, l->s->ops[place] + 1, VTB_DEV_TIMEOUT);
	struct aim_stop stop = { .thread = l->thread,
		                 .index = l->base + place + 1,
		                 .var = var,
		                 .site = l->x->events[l->s->ops[place]].site };

	if (shot.n_stops == AIM_STOPS || (l->only_chances && !span) ||
	    (span && span->mutex != VTB_NONE && span->mutex == l->s->locks[place]))
		return 0;
	if (span) {
		stop = (struct aim_stop){ .thread = stop.thread,
			                  .index = stop.index,
			                  .var = VTB_NONE,
			                  .site = stop.site,
			                  .chance = VTB_DEV_TIMEOUT,
			                  .target = partner,
			                  .next = span->done + 1 };
	} else if (!shot.n_stops && l->thread == shot.second && l->thread != shot.first && shot.first != VTB_NONE) {
		if (partner == shot.first) /* that has been to its end by then */
			return 0;
		shot.third = partner;
		cost += COST_OF_BEHIND;
	} else if (!shot.n_stops) {
		shot.first = l->thread;
		shot.second = partner;
	} else if (aim_chances(&shot) == shot.n_stops && shot.second == VTB_NONE) {
		shot.second = partner;
	}
	if (l->s->ops[place] > l->helped) /* else it would not come there */
		shot.soon = false;
	shot.stops[shot.n_stops++] = stop;
	if (l->partner != VTB_NONE) /* who comes in between has been found already */
		cost = cost > GAIN_BETWEEN ? cost - GAIN_BETWEEN : 0;
	return aim_queue(l->s, shot, (cost > l->shot->cost ? cost : l->shot->cost) + 1);
}

/* Is it at something that the thread has written, and no other one of its routine? */
static bool is_its_own(const struct aim_look *l, const struct vtb_event *e)
{
	const struct aim *s = l->s;
	const enum vtb_family family = vtb_event_info(e->kind)->family;
	uint64_t row;

	if (l->twin == VTB_NONE || (family != VTB_FAMILY_MEMORY && family != VTB_FAMILY_ATOMIC) ||
	    !vtb_map64_get(&s->touched, e->var, &row) || !vtb_coverage_shared(s->space->coverage, e->var) ||
	    !vtb_map64_get(&s->by_var, e->var, &row))
		return false;
	for (uint32_t i = (uint32_t)row - 1; i != VTB_NONE; i = s->lasts[i].next)
		if (s->lasts[i].thread != l->thread && aim_is_like(s, s->lasts[i].thread, l->thread) &&
		    (s->lasts[i].ops.written != VTB_NONE || s->lasts[i].late.written != VTB_NONE))
			return false;
	return true;
}

/* Another thread of its routine, which in this run only looks at what the first one has done, would do the same if it
 * came between the first one's look and its first write. */
static int stop_for_twin(struct aim_look *l, uint32_t place, uint32_t var)
{
	const struct aim *s = l->s;
	const uint32_t i = s->ops[place];
	const struct vtb_event *e = &l->x->events[i];

	if (place >= l->alone || s->next_own == VTB_NONE || s->locks[place] != VTB_NONE || !is_its_own(l, e) ||
	    !aim_lives_at(s, l->twin, l->thread, i))
		return 0;
	return aim_shoot(l, place, var, l->twin, aim_cost_of(l, e, var, s->next_own - place) + COST_OF_WOULD);
}

/* With whom could the operation at this place be the first of a pattern? */
static int stops_at(struct aim_look *l, uint32_t place, uint32_t var)
{
	struct aim *s = l->s;
	uint32_t partners[AIM_PARTNERS], n = 0;
	bool alike = false;
	uint64_t row;
	int r = 0;

	if (var == VTB_NONE || !vtb_map64_get(&s->by_var, var, &row))
		return 0;
	for (uint32_t i = (uint32_t)row - 1; r >= 0 && i != VTB_NONE && n < AIM_PARTNERS; i = s->lasts[i].next) {
		const struct aim_last *last = &s->lasts[i];

		if (last->thread == l->thread || (l->partner != VTB_NONE && last->thread != l->partner))
			continue;
		if (!conflicts(l, last, s->ops[place]) || s->next_any == VTB_NONE ||
		    is_double(s, last->thread, l->thread, VTB_NONE) || waits(l, place, last))
			continue;
		const bool alone = s->next[last->thread] == VTB_NONE;
		const uint32_t next = alone ? s->next_any : s->next[last->thread];
		const uint32_t cost =
		    aim_sleeps_through(l, place, last) ? COST_OF_SLEEP : aim_cost_between(l, place, var, next);

		r = aim_shoot(l, place, var, last->thread,
		              cost + COST_OF_THIRD * alone + aim_cost_of_partner(l, partners, n, last->thread) +
		                  aim_cost_of_doubt(l, place, var, last));
		alike |= aim_is_like(s, l->thread, last->thread);
		partners[n++] = last->thread;
	}
	return r < 0 || alike ? r : stop_for_twin(l, place, var);
}

/* The operation at this place is the next that conflicts with those threads. */
static void note_next(struct aim_look *l, uint32_t place, uint32_t var)
{
	struct aim *s = l->s;
	const struct vtb_event *e = &l->x->events[s->ops[place]];
	uint64_t row;

	if (var == VTB_NONE || !vtb_map64_get(&s->by_var, var, &row))
		return;
	for (uint32_t i = (uint32_t)row - 1; i != VTB_NONE; i = s->lasts[i].next)
		if (s->lasts[i].thread != l->thread &&
		    aim_last_of(s, &s->lasts[i], l->thread, !aim_writes(e)) != VTB_NONE)
			s->next[s->lasts[i].thread] = s->next_any = place;
}

/* std::condition_variable_any gives back the user's lock once it has a mutex of its own, and waits with that one. */
static void note_wait(struct aim *s, const struct vtb_event *e, uint32_t place)
{
	if (e->kind == VTB_E_COND_WAIT) {
		s->next_wait = place;
		s->next_given = s->next_mutex = e->aux;
	} else if (e->kind == VTB_E_COND_WAKE) {
		s->next_wait = VTB_NONE;
	} else if (aim_is_lock(e) && !vtb_event_is(e, VTB_EV_ACQUIRE)) {
		if (s->next_wait != VTB_NONE && s->locks[place] == s->next_mutex && e->var != s->next_mutex)
			s->next_given = e->var;
		else
			s->next_wait = VTB_NONE;
	}
}

/* Where nobody has been stopped yet: the lowest other thread of its routine, and how far the thread goes before others
 * could see that they need not do the same. */
static int find_twin(struct aim_look *l)
{
	struct aim *s = l->s;

	l->twin = VTB_NONE;
	if (l->shot->n_stops || l->partner != VTB_NONE || l->only_chances)
		return 0;
	for (uint32_t t = 1; l->twin == VTB_NONE && t < s->n_begins; t++)
		if (t != l->thread && aim_is_like(s, t, l->thread))
			l->twin = t;
	vtb_map64_clear(&s->touched);
	for (size_t k = 0; l->twin != VTB_NONE && k < s->n_ops; k++) {
		const struct vtb_event *e = &l->x->events[s->ops[k]];
		if (e->var != VTB_NONE && aim_writes(e) && !vtb_map64_put(&s->touched, e->var, 1))
			return -ENOMEM;
	}
	for (l->alone = 0; l->alone < s->n_ops; l->alone++) {
		const struct vtb_event *e = &l->x->events[s->ops[l->alone]];

		if (aim_writes(e) && is_its_own(l, e))
			break;
	}
	return 0;
}

static int count_visits(struct aim_look *l)
{
	struct aim *s = l->s;

	for (size_t k = 0; k < s->n_ops; k++) {
		const struct vtb_event *e = &l->x->events[s->ops[k]];

		if (visits_add(&s->visits, e->site, e->var) < 0 || visits_add(&s->all_visits, e->site, e->var) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* From the last operation to the first, so that it is known what comes next. */
int aim_stops_of(struct aim_look *l)
{
	struct aim *s = l->s;
	int r = read_ops(l);

	s->looks++;

	r = r < 0 ? r : aim_read_depends(s, l->x, l->thread);

	visits_begin(&s->visits);
	visits_begin(&s->all_visits);
	r = r < 0 ? r : count_visits(l);
	r = r < 0 ? r : find_twin(l);
	r = r < 0 ? r : aim_read_rounds(l);
	r = r < 0 ? r : aim_share_work(l);
	s->next_any = s->next_wait = s->next_own = VTB_NONE;
	for (size_t t = 0; t < s->n_next; t++)
		s->next[t] = VTB_NONE;
	for (uint32_t place = (uint32_t)s->n_ops; r >= 0 && place-- > 0;) {
		const struct vtb_event *e = &l->x->events[s->ops[place]];
		const uint32_t *given;
		uint32_t n;

		if (vtb_event_info(e->kind)->family == VTB_FAMILY_THREAD)
			continue;
		note_wait(s, e, place);
		if (s->ops[place] < l->to && !(s->rounds[place] & AIM_ROUND_KNOWN) && e->kind != VTB_E_COND_WAIT) {
			r = stops_at(l, place, e->var);
			r = r < 0 ? r : stops_at(l, place, aim_other_var(e));
		}
		note_next(l, place, e->var);
		note_next(l, place, aim_other_var(e));
		s->next_own = is_its_own(l, e) ? place : s->next_own;
		given = aim_given(s, s->ops[place], &n);
		for (uint32_t k = 0; k < n; k++)
			note_next(l, place, given[k]);
		visits_take(&s->visits, e->site, e->var);
	}
	return r;
}
