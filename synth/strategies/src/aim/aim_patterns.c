/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run suggests: stops of a thread between two operations that both conflict with what another one does. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aim.h"
#include "vtb/rng.h"

#define COST_OF_SOON 6u
#define COST_OF_HELP 8u
#define COST_OF_LIKE 2u /* threads of one routine */

struct look {
	struct aim *s;
	const struct aim_shot *shot;
	const struct vtb_exec *x;
	uint32_t thread; /* whose stops are looked for */
	uint32_t from;   /* event from which on */
	uint32_t base;   /* operations of the thread before ops[0] */
};

void aim_patterns_fini(struct aim *s)
{
	free(s->lasts);
	free(s->ops);
	free(s->next);
	free(s->held);
	free(s->locks);
	vtb_map64_fini(&s->by_var);
	vtb_map64_fini(&s->visits);
}

/* Is it as good as the lowest of its class, which is neither of these? */
static bool is_double(const struct aim *s, uint32_t thread, uint32_t one, uint32_t another)
{
	const uint32_t class = aim_class_of(s, thread);

	return class != thread && class != one && class != another;
}

/* ---- stops of one thread */

static int read_ops(struct look *l)
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
static bool conflicts(const struct aim_last *last, const struct vtb_event *e, uint32_t i)
{
	const uint32_t at = aim_writes(e) ? last->touched : last->written;

	return at != VTB_NONE && at > i;
}

/* The other one would not come to it: it needs the mutex that the stopped one holds. (If that one asks for another
 * mutex next, this is where a deadlock begins.) */
static bool waits(const struct look *l, uint32_t place, const struct aim_last *last)
{
	const struct aim *s = l->s;
	const uint32_t held = s->locks[place];

	if (held == VTB_NONE || (last->lock != held && l->x->events[s->ops[place]].var != held))
		return false;
	return place + 1 == s->n_ops || !vtb_event_is(&l->x->events[s->ops[place + 1]], VTB_EV_ACQUIRE) ||
	       vtb_event_info(l->x->events[s->ops[place + 1]].kind)->family != VTB_FAMILY_MUTEX;
}

static uint32_t log2_of(uint32_t n)
{
	return n ? 32u - (uint32_t)__builtin_clz(n) : 0;
}

static bool is_like(const struct aim *s, uint32_t a, uint32_t b)
{
	const struct vtb_symtab *tab = s->space->tab;

	return a < tab->n_threads && b < tab->n_threads && !strcmp(tab->threads[a].start, tab->threads[b].start);
}

/* Where to look first: short distances, rare variables and the first visits of a place; data without a lock before
 * locks, these before data under locks; what is left half done before what was only looked at. */
static uint32_t cost_of(const struct look *l, const struct vtb_event *e, uint32_t var, uint32_t distance)
{
	const struct vtb_coverage *c = l->s->space->coverage;
	uint64_t visits = 0;

	vtb_map64_get(&l->s->visits, (uint64_t)e->site << 32 | var, &visits);
	return 2 * log2_of(distance) + log2_of(vtb_coverage_most(c, var)) + 3 * (uint32_t)vtb_coverage_class(c, var) +
	       2 * vtb_coverage_stage(c, var) + 2 * vtb_coverage_turn_stage(visits ? (uint32_t)visits - 1 : 0) +
	       !aim_writes(e);
}

/* Somebody else does something, too, before who was stopped goes on. */
static int with_help(struct look *l, struct aim_shot shot, uint32_t cost)
{
	const struct aim *s = l->s;
	uint32_t helpers = 0;
	int r = 0;

	for (uint32_t t = 0; r >= 0 && t < s->n_next && helpers < AIM_PARTNERS; t++) {
		if (s->next[t] == VTB_NONE || t == l->thread || t == shot.second ||
		    is_double(s, t, l->thread, shot.second))
			continue;
		shot.third = t;
		r = aim_queue(l->s, &shot, cost + COST_OF_HELP);
		helpers++;
	}
	return r;
}

static int shoot(struct look *l, uint32_t place, uint32_t var, uint32_t partner, uint32_t cost)
{
	struct aim_shot shot = *l->shot;
	int r;

	if (!shot.n_stops) {
		shot.first = l->thread;
		shot.second = partner;
	}
	shot.stops[shot.n_stops++] = (struct aim_stop){ l->thread, l->base + place + 1, var };
	r = aim_queue(l->s, &shot, cost);
	shot.soon = true;
	r = r < 0 ? r : aim_queue(l->s, &shot, cost + COST_OF_SOON);
	return r < 0 || shot.n_stops > 1 ? r : with_help(l, shot, cost);
}

/* With whom could the operation at this place be the first of a pattern? */
static int stops_at(struct look *l, uint32_t place, uint32_t var)
{
	struct aim *s = l->s;
	const struct vtb_event *e = &l->x->events[s->ops[place]];
	uint32_t partners = 0;
	uint64_t row;
	int r = 0;

	if (var == VTB_NONE || !vtb_map64_get(&s->by_var, var, &row))
		return 0;
	for (uint32_t i = (uint32_t)row - 1; r >= 0 && i != VTB_NONE && partners < AIM_PARTNERS; i = s->lasts[i].next) {
		const struct aim_last *last = &s->lasts[i];

		if (last->thread == l->thread || !conflicts(last, e, s->ops[place]) ||
		    s->next[last->thread] == VTB_NONE || is_double(s, last->thread, l->thread, VTB_NONE) ||
		    waits(l, place, last))
			continue;
		r = shoot(l, place, var, last->thread,
		          cost_of(l, e, var, s->next[last->thread] - place) +
		              COST_OF_LIKE * is_like(s, l->thread, last->thread));
		partners++;
	}
	return r;
}

/* The operation at this place is the next that conflicts with those threads. */
static void note_next(struct look *l, uint32_t place, uint32_t var)
{
	struct aim *s = l->s;
	const struct vtb_event *e = &l->x->events[s->ops[place]];
	uint64_t row;

	if (var == VTB_NONE || !vtb_map64_get(&s->by_var, var, &row))
		return;
	for (uint32_t i = (uint32_t)row - 1; i != VTB_NONE; i = s->lasts[i].next)
		if (s->lasts[i].thread != l->thread && (aim_writes(e) || s->lasts[i].written != VTB_NONE))
			s->next[s->lasts[i].thread] = place;
}

static int count_visits(struct look *l, int by)
{
	struct aim *s = l->s;

	for (size_t k = 0; k < s->n_ops; k++) {
		const struct vtb_event *e = &l->x->events[s->ops[k]];
		uint64_t *n = vtb_map64_put(&s->visits, (uint64_t)e->site << 32 | e->var, 0);

		if (!n)
			return -ENOMEM;
		*n += (uint64_t)(int64_t)by;
	}
	return 0;
}

/* From the last operation to the first, so that it is known what comes next. */
static int stops_of(struct look *l)
{
	struct aim *s = l->s;
	int r = read_ops(l);

	vtb_map64_clear(&s->visits);
	r = r < 0 ? r : count_visits(l, 1);
	for (size_t t = 0; t < s->n_next; t++)
		s->next[t] = VTB_NONE;
	for (uint32_t place = (uint32_t)s->n_ops; r >= 0 && place-- > 0;) {
		const struct vtb_event *e = &l->x->events[s->ops[place]];
		uint64_t *visits = vtb_map64_put(&s->visits, (uint64_t)e->site << 32 | e->var, 1);

		if (vtb_event_info(e->kind)->family == VTB_FAMILY_THREAD)
			continue;
		r = stops_at(l, place, e->var);
		r = r < 0 ? r : stops_at(l, place, aim_other_var(e));
		note_next(l, place, e->var);
		note_next(l, place, aim_other_var(e));
		*visits -= visits && *visits;
	}
	return r;
}

/* ---- all that a run suggests */

static uint32_t behind(const struct vtb_exec *x, const struct aim_stop *stop)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread == stop->thread && vtb_event_is_operation(&x->events[i]) &&
		    ++done == stop->index)
			return i + 1;
	return VTB_NONE;
}

static uint32_t threads_in(const struct vtb_exec *x)
{
	uint32_t n = 0;

	for (size_t i = 0; i < x->n_events; i++)
		n = x->events[i].thread >= n ? x->events[i].thread + 1u : n;
	return n;
}

/* Nobody was stopped yet: who ran first is. Else whom the first one gave way to. */
static int look_round(struct look *l, uint32_t threads)
{
	struct aim *s = l->s;
	uint32_t looked = 0;

	if (vtb_array_extend(s, next, threads, VTB_NONE) < 0)
		return -ENOMEM;
	if (l->shot->n_stops) {
		l->thread = l->shot->second;
		l->from = behind(l->x, &l->shot->stops[0]);
		return l->from == VTB_NONE || l->thread == VTB_NONE ? 0 : stops_of(l);
	}
	if (l->shot->first != VTB_NONE) {
		l->thread = l->shot->first;
		return stops_of(l);
	}
	for (l->thread = 0; l->thread < threads && looked < AIM_LOOKED; l->thread++) {
		const bool lowest = aim_class_of(s, l->thread) == l->thread;
		const int r = lowest ? stops_of(l) : 0;

		looked += lowest;
		if (r < 0)
			return r;
	}
	return 0;
}

int aim_learn(struct aim *s, const struct aim_shot *shot, const struct vtb_exec *x)
{
	struct look l = { .s = s, .shot = shot, .x = x };
	const uint32_t threads = threads_in(x), classes = (uint32_t)s->symmetry.n_class_of;
	const uint32_t n = threads > classes ? threads : classes;
	uint32_t *second = malloc((n + 1) * sizeof(*second));
	bool *joined = calloc(n + 1, sizeof(*joined));
	int r = second && joined ? 0 : -ENOMEM;

	if (r >= 0 && vtb_array_extend(s, held, n + 1, VTB_NONE) < 0)
		r = -ENOMEM;
	for (uint32_t t = 0; r >= 0 && t < n; t++)
		second[t] = s->held[t] = VTB_NONE;
	r = r < 0 ? r : aim_read_lasts(s, x, second, joined);
	free(second);
	free(joined);
	return r < 0 || shot->n_stops >= AIM_STOPS ? r : look_round(&l, n);
}
