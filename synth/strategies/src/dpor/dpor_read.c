/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking a run: its new operations become levels, sleepers wake, races are found and planned to be turned round. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dpor.h"
#include "vtb/array.h"
#include "vtb/wire.h"

#define LOOK_EVERY (1u << 16) /* operations, between two looks at whether the search is to end */

/* ---- reading a run */

/* Did this take place because time passed? */
static bool by_time(const struct vtb_event *e)
{
	if (e->kind == VTB_E_SLEEP)
		return true;
	return (e->kind == VTB_E_COND_WAKE || e->kind == VTB_E_TIMEDLOCK || e->kind == VTB_E_SEM_WAIT ||
	        e->kind == VTB_E_FUTEX_WOKEN || e->kind == VTB_E_RDLOCK || e->kind == VTB_E_WRLOCK) &&
	       e->value == ETIMEDOUT;
}

bool vtb_dpor_nobody_could_go_on(const struct vtb_outcome *o)
{
	const enum vtb_verdict verdict = o->verdict;

	if (verdict == VTB_V_LIVELOCK)
		return !(o->flags & (VTB_OUT_SPUN_OPEN | VTB_OUT_ASSUMED));
	return verdict == VTB_V_NONE || verdict == VTB_V_DEADLOCK || verdict == VTB_V_CONDITION_DEADLOCK ||
	       verdict == VTB_V_LOST_WAKEUP;
}

/* The operation of level i is done: who sleeps and depends on it wakes. */
static void wake(struct dpor *d, size_t i)
{
	const struct dpor_op *op = &d->levels[i].op;

	for (uint32_t t = 0; t < d->width; t++)
		if (d->live[t] != DPOR_NONE && t != op->event.thread &&
		    vtb_dpor_dependent(&d->sleepers[d->live[t]].op, op)) {
			d->sleepers[d->live[t]].woken = (uint32_t)i + 1;
			d->live[t] = DPOR_NONE;
		}
}

/* Sleepers take part in what comes next. Everybody asleep: what follows was seen in another order. Else somebody who is
 * awake, of whom nothing was known yet, is tried instead. */
static int cut_short(struct dpor *d, const struct vtb_exec *x, size_t k)
{
	const size_t i = d->n_levels - 1;

	d->all->blocked++;
	for (uint32_t t = 0; t < 64 * x->stride; t++)
		if (vtb_exec_enabled(x, k, t) && (t >= d->width || d->live[t] == DPOR_NONE))
			return vtb_dpor_plan_thread(d, i, t);
	return 0;
}

static void fill_row(struct dpor *d, size_t i, const struct vtb_exec *x, size_t k)
{
	memset(d->enabled + i * d->stride, 0, d->stride * sizeof(*d->enabled));
	memcpy(d->enabled + i * d->stride, x->enabled + k * x->stride, x->stride * sizeof(*x->enabled));
}

static int open_level(struct dpor *d, const struct vtb_exec *x, size_t k)
{
	const size_t i = d->n_levels;

	if (vtb_array_room(d, levels) < 0)
		return -ENOMEM;
	d->levels[i] =
	    (struct dpor_level){ .tree = DPOR_NONE, .doubts = d->carried, .taken = DPOR_NONE, .races = DPOR_NONE };
	d->carried = DPOR_NONE;
	fill_row(d, i, x, k);
	d->n_levels++;
	if (d->path != DPOR_NONE) { /* the sequence goes on: its other branches are for later */
		const uint32_t node = d->path;

		d->levels[i].tree = d->all->nodes[node].next;
		d->path = d->all->nodes[node].child;
		vtb_dpor_free_node(d, node);
	}
	return 0;
}

static int add_to_line(struct dpor_line *line, uint32_t index, uint32_t level)
{
	line->n_ops = index - 1;
	if (vtb_array_room(line, ops) < 0)
		return -ENOMEM;
	line->ops[line->n_ops++] = level;
	return 0;
}

static int fill_level(struct dpor *d, size_t i, const struct vtb_event *e, bool world)
{
	const uint32_t span = d->shown[i].span;
	struct dpor_level *l = &d->levels[i];
	int r;

	l->op = (struct dpor_op){ .event = *e, .world = world, .span = span };
	l->before = d->last[e->thread];
	if (world && l->before)
		d->levels[l->before - 1].op.doomed = true;
	l->index = l->before ? d->levels[l->before - 1].index + 1 : 1;
	l->seen = true;
	d->all->reads |= vtb_event_reads_io(e);
	l->races = DPOR_NONE;
	l->beside = 0;
	r = add_to_line(&d->lines[e->thread], l->index, (uint32_t)i);
	if (r >= 0)
		r = vtb_dpor_order(d, i);
	d->last[e->thread] = (uint32_t)i + 1;
	return r;
}

/* A part's first run begins as its levels say: what they have come to, before anybody of those who sleep there does. */
static int refill(struct dpor *d, const struct vtb_exec *x, size_t n)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++) {
		fill_row(d, i, x, d->shown[i].event);
		r = fill_level(d, i, &x->events[d->shown[i].event], false);
	}
	if (r >= 0)
		fill_row(d, n, x, d->shown[n].event);
	for (uint32_t k = 0; k < d->n_sleepers; k++)
		d->live[d->sleepers[k].op.event.thread] = k;
	return r;
}

/* A run of ten million operations takes longer than a search has left: of its rest nothing is known. */
static bool leave_off(struct dpor *d, size_t i)
{
	if (d->alone || (i + 1) % LOOK_EVERY || !vtb_stop_due(d->space->stop))
		return false;
	d->all->cut++;
	return true;
}

/* The run's operations from level `kept` - 1 on, where it departs, are new. 1 if it was cut short by sleepers, or left
 * off. */
static int append(struct dpor *d, const struct vtb_exec *x, size_t kept)
{
	int r = 0;

	for (size_t i = kept ? kept - 1 : 0; r >= 0 && i < d->n_shown; i++) {
		const size_t k = d->shown[i].event;
		const struct vtb_event *e = &x->events[k];

		d->symbolic |= (e->flags & VTB_EVF_ADDR_SYMBOLIC) != 0;
		if (leave_off(d, i))
			return 1;
		if (i >= kept)
			r = open_level(d, x, k);
		if (r >= 0 && i >= kept && d->live[e->thread] != DPOR_NONE)
			return cut_short(d, x, k) < 0 ? -ENOMEM : 1;
		if (r >= 0) {
			d->all->timed |= by_time(e);
			r = fill_level(d, i, e, i + 1 == d->n_shown && !vtb_dpor_nobody_could_go_on(&x->outcome));
			wake(d, i);
			vtb_dpor_pass_doubts(d, i);
		}
	}
	return r;
}

/* ---- races */

static int keep_pending(struct dpor *d, const struct vtb_exec *x)
{
	for (d->n_pending = 0; d->n_pending < x->n_pending; d->n_pending++) {
		if (vtb_array_room(d, pending) < 0)
			return -ENOMEM;
		d->pending[d->n_pending] = x->pending[d->n_pending];
	}
	return 0;
}

/* Of a run of some ten thousand operations that depend on each other all races take minutes. */
static bool leave_races_off(struct dpor *d, const struct dpor_race *race)
{
	d->gone_through += d->n_levels - race->first;
	if (d->alone || d->gone_through < LOOK_EVERY)
		return false;
	d->gone_through = 0;
	if (!vtb_stop_due(d->space->stop))
		return false;
	d->all->cut++;
	return true;
}

/* 1: the search is to end. */
static int turn_one_round(struct dpor *d, const struct dpor_race race)
{
	if (leave_races_off(d, &race))
		return 1;
	if (race.second < d->n_levels) {
		const struct dpor_op second = d->levels[race.second].op;

		return vtb_dpor_turn_round(d, &race, &second, false);
	}
	return vtb_dpor_turn_round(d, &race, &(struct dpor_op){ .event = d->pending[race.second - d->n_levels] }, true);
}

/* Races among operations that were there before: what goes on beside the first one is another sequence now. */
static int turn_old_ones_round(struct dpor *d, size_t from)
{
	int r = 0;

	vtb_dpor_find_new(d, from);
	for (size_t i = 0; !r && i < from; i++) {
		if (d->levels[i].races == DPOR_NONE || !vtb_dpor_other_beside(d, i))
			continue;
		for (uint32_t k = d->levels[i].races; !r && k != DPOR_NONE; k = d->races[k].next)
			if (d->races[k].second < from)
				r = turn_one_round(d, d->races[k]);
	}
	return r;
}

int vtb_dpor_turn_races(struct dpor *d)
{
	int r;

	if (!d->to_turn)
		return 0;
	d->to_turn = false;
	r = turn_old_ones_round(d, d->turn_from);
	for (size_t k = d->turn_first; !r && k < d->n_races; k++)
		r = turn_one_round(d, d->races[k]);
	while (d->n_races && d->races[d->n_races - 1].second >= d->n_levels) /* of operations that were not done */
		d->n_races--;
	return r < 0 ? r : 0;
}

/* Levels from `from` on are new, and so are races from `first` on. */
static int leave_races(struct dpor *d, const struct vtb_exec *x, size_t from, size_t first)
{
	d->to_turn = true;
	d->turn_from = from;
	d->turn_first = first;
	return keep_pending(d, x);
}

static void give_up_path(struct dpor *d)
{
	vtb_dpor_drop_tree(d, d->path);
	d->path = DPOR_NONE;
}

static void forget_path(struct dpor *d, enum dpor_followed how)
{
	d->all->diverged += how == DPOR_DIVERGED;
	d->all->vain += how == DPOR_IN_VAIN;
	d->again = 0;
	give_up_path(d);
}

/* The ith operation that is shown, as it came out. */
static struct dpor_op shown_op(const struct dpor *d, const struct vtb_exec *x, size_t i)
{
	return (struct dpor_op){ .event = x->events[d->shown[i].event],
		                 .world = i + 1 == d->n_shown && !vtb_dpor_nobody_could_go_on(&x->outcome),
		                 .span = d->shown[i].span };
}

/* It was to wake somebody, and has come out so that it does not: then its turn is later. 1: so it is. */
static int put_back(struct dpor *d, size_t level, const struct dpor_op op)
{
	struct dpor *at = d->fresh ? d->above : d;
	const uint32_t path = d->path;

	if (vtb_dpor_wakes_all(at, (uint32_t)level, &op))
		return 0;
	d->path = DPOR_NONE;
	d->all->vain++;
	return vtb_dpor_put_back(at, (uint32_t)level, &op, path) < 0 ? -ENOMEM : 1;
}

static int take_afresh(struct dpor *d);

/* What is shown of it is in d->shown. */
static int take(struct dpor *d, size_t kept, const struct vtb_exec *x)
{
	enum dpor_followed how;
	size_t first_race;
	int r;

	how = vtb_dpor_followed(d, x, kept);
	if (d->all->told.now && (how == DPOR_DIVERGED || (how == DPOR_FOLLOWED && !vtb_dpor_is_whole(d)))) {
		if (!vtb_dpor_misses(d))
			give_up_path(d);
		return 0;
	}
	if (d->again > DPOR_AGAIN_MAX || (how == DPOR_FOLLOWED && !vtb_dpor_is_whole(d))) {
		vtb_dpor_hide_nothing(d);
		return take_afresh(d);
	}
	if (how == DPOR_DRIFTED)
		return 0;
	if (how != DPOR_FOLLOWED) {
		forget_path(d, how);
		return 0;
	}
	d->again = 0;
	r = kept ? put_back(d, kept - 1, shown_op(d, x, kept - 1)) : 0;
	if (r)
		return r < 0 ? r : 0;
	d->held = (x->outcome.flags & (VTB_OUT_SPUN | VTB_OUT_ASSUMED)) != 0; /* refill() asks, too */
	r = d->fresh ? refill(d, x, kept - 1) : 0;
	first_race = d->n_races;
	r = r < 0 ? r : append(d, x, kept);
	if (r == 0) {
		d->all->classes++;
		d->all->spun |= d->held;
		d->all->spun_open |= (x->outcome.flags & (VTB_OUT_SPUN_OPEN | VTB_OUT_ASSUMED)) != 0;
		d->all->cut += x->outcome.verdict == VTB_V_LIVELOCK && !vtb_dpor_nobody_could_go_on(&x->outcome);
		r = vtb_dpor_find_pending_races(d, x);
	}
	vtb_dpor_drop_tree(d, d->carried);
	d->carried = DPOR_NONE;
	if (r >= 0 && d->fresh)
		r = vtb_dpor_note_taken(d->above, (uint32_t)kept - 1, &d->levels[kept - 1].op);
	d->fresh = false;
	return r < 0 ? r : leave_races(d, x, kept ? kept - 1 : 0, first_race);
}

/* More is shown than before: from the first run on. */
static int take_afresh(struct dpor *d)
{
	int r;

	do {
		d = vtb_dpor_begin_afresh(d->all);
		r = vtb_dpor_show(d, &d->all->first);
	} while (r == 1);
	if (r >= 0)
		r = vtb_dpor_room_for_run(d, &d->all->first);
	return r < 0 ? r : take(d, 0, &d->all->first);
}

int vtb_dpor_read_run(struct dpor *d, size_t kept, const struct vtb_exec *x)
{
	int r = vtb_dpor_room_for_run(d, x);

	vtb_dpor_close(d);
	if (r < 0)
		return r;
	if (vtb_dpor_told_otherwise(d, x))
		return 0;
	d->all->runs++;
	d->all->cut_off |= x->n_pending > 0;
	d->all->cut += x->owned && !vtb_dpor_nobody_could_go_on(&x->outcome); /* what it failed with is not told */
	d->all->cut +=
	    vtb_verdict_is_cut(x->outcome.verdict) ? 1 : 0; /* whether or not it came as far as was planned */
	d->all->arrived |= (x->outcome.flags & VTB_OUT_ARRIVED) != 0;
	d->all->possible |= vtb_chances_possible(&d->all->chances, x);
	r = vtb_dpor_show(d, x);
	if (r == 1)
		return take_afresh(d);
	return r < 0 ? r : take(d, kept, x);
}

/* ---- one run by itself */

int vtb_dpor_read(struct dpor *d, const struct vtb_exec *x)
{
	int r;

	d->alone = true;
	vtb_dpor_begin_afresh(d->all);
	r = vtb_dpor_room_for_run(d, x);
	if (r >= 0)
		r = vtb_dpor_show(d, x);
	d->held = (x->outcome.flags & (VTB_OUT_SPUN | VTB_OUT_ASSUMED)) != 0;
	if (r >= 0)
		r = append(d, x, 0);
	if (r >= 0)
		r = vtb_dpor_find_pending_races(d, x);
	if (r >= 0)
		r = leave_races(d, x, 0, 0);
	return r < 0 ? r : vtb_dpor_turn_races(d);
}
