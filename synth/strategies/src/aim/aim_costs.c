/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a stop of a thread costs: how suspicious the place is, and whether the other one would come in between. */
#include "aim.h"

#define COST_OF_TWIN 4u
#define FEW 4u            /* threads: where there are more, what all of them touch is not therefore touched often */
#define COST_OF_LIKE 2u   /* threads of one routine */
#define COST_OF_ROUND 3u  /* it looks again before it does anything else */
#define GAIN_OF_UPDATE 3u /* between what it reads and what it makes of it */
#define COST_OF_FRESH 8u  /* the block was not there when the other one began, and nobody has told it yet */
#define COST_OF_DOUBT 3u  /* the other one may not come to it, as it has read what the stopped one has still to do */

bool aim_keeps_out(uint32_t held, uint32_t wanted)
{
	return wanted != VTB_NONE && (held & ~AIM_SHARED) == (wanted & ~AIM_SHARED) && !(held & wanted & AIM_SHARED);
}

bool aim_is_lock(const struct vtb_event *e)
{
	const enum vtb_family family = vtb_event_info(e->kind)->family;

	return family == VTB_FAMILY_MUTEX || family == VTB_FAMILY_RWLOCK;
}

static uint32_t log2_of(uint32_t n)
{
	return n ? 32u - (uint32_t)__builtin_clz(n) : 0;
}

/* Where to look first: short distances, rare variables and the first and last visits of a place; data without a lock
 * before locks, these before data under locks; what is left half done before what was only looked at. */
uint32_t aim_cost_of(const struct aim_look *l, const struct vtb_event *e, uint32_t var, uint32_t distance)
{
	const struct vtb_coverage *c = l->s->space->coverage;
	const uint32_t many = c->n_threads > FEW ? c->n_threads : FEW;
	const uint32_t rare = (uint32_t)((uint64_t)FEW * vtb_coverage_most(c, var) / many);
	const bool shared = vtb_coverage_shared(c, var); /* else with a handler alone */
	const uint64_t all = visits_of(&l->s->all_visits, e->site, var);
	uint64_t visits = visits_of(&l->s->visits, e->site, var);

	if (all > visits && all - visits + 1 < visits)
		visits = all - visits + 1;
	return 2 * log2_of(distance) + log2_of(rare) + (shared ? 3 * (uint32_t)vtb_coverage_class(c, var) : 0) +
	       (shared ? 2 * vtb_coverage_stage(c, var) : 0) +
	       2 * vtb_coverage_turn_stage(visits ? (uint32_t)visits - 1 : 0);
}

/* The other one needs, before it comes to its operation, the mutex that the stopped one holds. */
static bool is_kept_out(const struct aim_look *l, uint32_t place, const struct aim_last *last)
{
	const struct aim *s = l->s;
	const uint32_t held = s->locks[place];
	uint64_t row;

	if (held == VTB_NONE || !vtb_map64_get(&s->by_var, held, &row))
		return false;
	for (uint32_t i = (uint32_t)row - 1; i != VTB_NONE; i = s->lasts[i].next)
		if (s->lasts[i].thread == last->thread)
			return s->lasts[i].ops.touched > s->ops[place] &&
			       s->lasts[i].ops.touched < aim_last_of(s, last, l->thread, false);
	return false;
}

/* Did the thread make the block while the other one lived, who then must have been told of it? */
static bool is_fresh(const struct aim_look *l, uint32_t var, uint32_t other)
{
	const struct aim *s = l->s;
	const uint32_t created = other < s->n_lives ? s->lives[other].created : VTB_NONE;
	const uint32_t block = aim_block_of(s, var);
	uint64_t first;

	return created != VTB_NONE && block != VTB_NONE && vtb_map64_get(&s->fresh, block, &first) && first > created &&
	       l->x->events[first].thread == l->thread;
}

uint32_t aim_cost_of_doubt(const struct aim_look *l, uint32_t place, uint32_t var, const struct aim_last *last)
{
	const bool writes = !aim_writes(&l->x->events[l->s->ops[place]]), fresh = is_fresh(l, var, last->thread);

	if (!aim_comes_anyway(l->s, last->thread, var, writes, l->base + place + 1, fresh))
		return fresh ? COST_OF_FRESH : COST_OF_DOUBT;
	return is_kept_out(l, place, last) ? COST_OF_DOUBT : 0;
}

/* Who is not the first of a routine's threads that comes into question shows little that the first does not. */
uint32_t aim_cost_of_partner(const struct aim_look *l, const uint32_t *before, uint32_t n, uint32_t partner)
{
	uint32_t cost = COST_OF_LIKE * aim_is_like(l->s, l->thread, partner);

	for (uint32_t i = 0; i < n; i++)
		cost += COST_OF_TWIN * aim_is_like(l->s, before[i], partner);
	return cost;
}

/* It is read under the mutex of the condition that is waited for next, and the other one, who wakes, writes it without
 * that mutex: in between the waiter is not there yet, and then nobody wakes it. */
bool aim_sleeps_through(const struct aim_look *l, uint32_t place, const struct aim_last *last)
{
	const struct aim *s = l->s;
	const struct vtb_event *wait = s->next_wait == VTB_NONE ? NULL : &l->x->events[s->ops[s->next_wait]];
	const uint32_t written = aim_last_of(s, last, l->thread, true), held = s->locks[place];
	uint64_t row;

	if (!wait || aim_writes(&l->x->events[s->ops[place]]) || held == VTB_NONE ||
	    (held & ~AIM_SHARED) != s->next_given || is_kept_out(l, place, last) || written == VTB_NONE ||
	    aim_keeps_out(held, last->lock) || !vtb_map64_get(&s->by_var, wait->var, &row))
		return false;
	for (uint32_t i = (uint32_t)row - 1; i != VTB_NONE; i = s->lasts[i].next)
		if (s->lasts[i].thread == last->thread) {
			const uint32_t wakes = aim_last_of(s, &s->lasts[i], l->thread, false);

			return wakes != VTB_NONE && wakes > written;
		}
	return false;
}

/* Somebody stands there already: what he has read is old by now, whoever is stopped besides. */
static bool is_stopped_at(const struct aim_shot *shot, uint32_t var)
{
	for (uint32_t i = 0; i < shot->n_stops; i++)
		if (!shot->stops[i].chance && shot->stops[i].var == var)
			return true;
	return false;
}

/* It reads there what it writes next, and somebody else writes it, too. */
static bool splits_update(const struct aim_look *l, uint32_t place, uint32_t var, uint32_t next)
{
	const struct vtb_event *e = &l->x->events[l->s->ops[place]], *then = &l->x->events[l->s->ops[next]];

	return e->var == var && then->var == var && !aim_writes(e) && aim_writes(then);
}

/* What was begun under a lock goes on without it right behind its release: that is as good a place as one between two
 * operations without a lock. */
static uint32_t cost_there(const struct aim_look *l, uint32_t place, uint32_t var, uint32_t next)
{
	const struct aim *s = l->s;
	const struct vtb_event *e = &l->x->events[s->ops[place]], *then = &l->x->events[s->ops[next]];
	const uint32_t cost = aim_cost_of(l, e, var, next - place);
	uint32_t other;

	if (!aim_is_lock(e) || !vtb_event_is(e, VTB_EV_RELEASE) || next != place + 1 || s->locks[next] != VTB_NONE ||
	    vtb_event_info(then->kind)->family > VTB_FAMILY_ATOMIC || !aim_writes(then))
		return cost;
	other = aim_cost_of(l, then, then->var, 1) + 1;
	return other < cost ? other : cost;
}

uint32_t aim_cost_between(const struct aim_look *l, uint32_t place, uint32_t var, uint32_t next)
{
	uint32_t cost = cost_there(l, place, var, next);

	cost += l->s->rounds[place] & AIM_ROUND_AGAIN ? COST_OF_ROUND : 0;
	if (splits_update(l, place, var, next) && !is_stopped_at(l->shot, var))
		cost = cost > GAIN_OF_UPDATE ? cost - GAIN_OF_UPDATE : 0;
	return cost;
}
