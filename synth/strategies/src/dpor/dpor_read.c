/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking a run: its new operations become levels, sleepers wake, races are found and planned to be turned round. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dpor.h"
#include "vtb/array.h"
#include "vtb/wire.h"

/* ---- room */

static int resize(uint32_t **items, size_t n, size_t more, uint32_t value)
{
	uint32_t *bigger = realloc(*items, more * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	for (size_t i = n; i < more; i++)
		bigger[i] = value;
	*items = bigger;
	return 0;
}

static int room_for_levels(struct dpor *d, size_t n)
{
	const size_t room = n + n / 2 + 16;
	uint64_t *enabled;

	if (n <= d->room)
		return 0;
	enabled = realloc(d->enabled, room * d->stride * sizeof(*enabled));
	if (!enabled)
		return -ENOMEM;
	d->enabled = enabled;
	if (resize(&d->clocks, room * d->width, room * d->width, 0) < 0)
		return -ENOMEM;
	d->room = room;
	return 0;
}

/* More threads than before: rows and clocks get longer. */
static int widen_rows(struct dpor *d, uint32_t stride)
{
	uint64_t *rows = calloc(d->room * stride + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_levels; i++)
		memcpy(rows + i * stride, d->enabled + i * d->stride, d->stride * sizeof(*rows));
	free(d->enabled);
	d->enabled = rows;
	d->stride = stride;
	return 0;
}

static int add_lines(struct dpor *d, uint32_t n)
{
	struct dpor_line *lines = realloc(d->lines, n * sizeof(*lines));

	if (!lines)
		return -ENOMEM;
	memset(lines + d->width, 0, (n - d->width) * sizeof(*lines));
	d->lines = lines;
	return 0;
}

static int widen_clocks(struct dpor *d, uint32_t thread)
{
	const uint32_t width = (thread / 8 + 1) * 8;
	uint32_t *clocks = calloc(d->room * width + 1, sizeof(*clocks));

	if (!clocks)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_levels && d->width; i++)
		memcpy(clocks + i * width, d->clocks + i * d->width, d->width * sizeof(*clocks));
	free(d->clocks);
	d->clocks = clocks;
	if (add_lines(d, width) < 0 || resize(&d->last, d->width, width, 0) < 0 ||
	    resize(&d->live, d->width, width, DPOR_NONE) < 0 || resize(&d->pending_clock, 0, width, 0) < 0)
		return -ENOMEM;
	d->width = width;
	return 0;
}

static int room_for_run(struct dpor *d, const struct vtb_exec *x)
{
	uint32_t highest = 0;
	int r = 0;

	for (size_t k = 0; k < x->n_events; k++)
		highest = x->events[k].thread > highest ? x->events[k].thread : highest;
	for (size_t k = 0; k < x->n_pending; k++)
		highest = x->pending[k].thread > highest ? x->pending[k].thread : highest;
	if (x->stride > d->stride)
		r = widen_rows(d, x->stride);
	if (r >= 0 && highest >= d->width)
		r = widen_clocks(d, highest);
	return r < 0 ? r : room_for_levels(d, x->n_events);
}

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

	d->blocked++;
	for (uint32_t t = 0; t < 64 * x->stride; t++)
		if (vtb_exec_enabled(x, k, t) && (t >= d->width || d->live[t] == DPOR_NONE))
			return vtb_dpor_plan_thread(d, i, t);
	return 0;
}

static int open_level(struct dpor *d, const struct vtb_exec *x, size_t k)
{
	const size_t i = d->n_levels;

	if (vtb_array_room(d, levels) < 0)
		return -ENOMEM;
	d->levels[i] = (struct dpor_level){ .tree = DPOR_NONE, .doubts = d->carried, .races = DPOR_NONE };
	d->carried = DPOR_NONE;
	memset(d->enabled + i * d->stride, 0, d->stride * sizeof(*d->enabled));
	memcpy(d->enabled + i * d->stride, x->enabled + k * x->stride, x->stride * sizeof(*x->enabled));
	d->n_levels++;
	if (d->path != DPOR_NONE) { /* the sequence goes on: its other branches are for later */
		const uint32_t node = d->path;

		d->levels[i].tree = d->nodes[node].next;
		d->path = d->nodes[node].child;
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
	l->races = DPOR_NONE;
	l->beside = 0;
	r = add_to_line(&d->lines[e->thread], l->index, (uint32_t)i);
	if (r >= 0)
		r = vtb_dpor_order(d, i);
	d->last[e->thread] = (uint32_t)i + 1;
	wake(d, i);
	vtb_dpor_pass_doubts(d, i);
	return r;
}

/* The run's operations from level `kept` - 1 on, where it departs, are new. 1 if it was cut short by sleepers. */
static int append(struct dpor *d, const struct vtb_exec *x, size_t kept)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < d->n_shown; i++) {
		const size_t k = d->shown[i].event;
		const struct vtb_event *e = &x->events[k];

		d->symbolic |= (e->flags & VTB_EVF_ADDR_SYMBOLIC) != 0;
		if (i >= kept)
			r = open_level(d, x, k);
		if (r >= 0 && i >= kept && d->live[e->thread] != DPOR_NONE)
			return cut_short(d, x, k) < 0 ? -ENOMEM : 1;
		if (r >= 0 && i + 1 >= kept) {
			d->timed |= by_time(e);
			r = fill_level(d, i, e, i + 1 == d->n_shown && !vtb_dpor_nobody_could_go_on(&x->outcome));
		}
	}
	return r;
}

/* ---- races */

/* The thread that ended the run has no next operation. */
static uint32_t who_ended(const struct dpor *d)
{
	const struct dpor_op *last = d->n_levels ? &d->levels[d->n_levels - 1].op : NULL;

	return last && (last->world || last->event.kind == VTB_E_PROCESS_EXIT) ? last->event.thread : VTB_NONE;
}

static int find_pending_races(struct dpor *d, const struct vtb_exec *x)
{
	const uint32_t ended = who_ended(d);
	int r = 0;

	for (size_t k = 0; r >= 0 && k < x->n_pending; k++)
		if (x->pending[k].thread != ended)
			r = vtb_dpor_order_pending(d, &(struct dpor_op){ .event = x->pending[k] }, k);
	return r;
}

static int turn_one_round(struct dpor *d, const struct vtb_exec *x, const struct dpor_race race)
{
	if (race.second < d->n_levels) {
		const struct dpor_op second = d->levels[race.second].op;

		return vtb_dpor_turn_round(d, &race, &second, false);
	}
	return vtb_dpor_turn_round(d, &race, &(struct dpor_op){ .event = x->pending[race.second - d->n_levels] }, true);
}

/* Races among operations that were there before: what goes on beside the first one is another sequence now. */
static int turn_old_ones_round(struct dpor *d, const struct vtb_exec *x, size_t from)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < from; i++) {
		if (d->levels[i].races == DPOR_NONE || !vtb_dpor_other_beside(d, i, from))
			continue;
		for (uint32_t k = d->levels[i].races; r >= 0 && k != DPOR_NONE; k = d->races[k].next)
			if (d->races[k].second < from)
				r = turn_one_round(d, x, d->races[k]);
	}
	return r;
}

/* Levels from `from` on are new, and so are races from `first` on. */
static int turn_round(struct dpor *d, const struct vtb_exec *x, size_t from, size_t first)
{
	int r = turn_old_ones_round(d, x, from);

	for (size_t k = first; r >= 0 && k < d->n_races; k++)
		r = turn_one_round(d, x, d->races[k]);
	while (d->n_races && d->races[d->n_races - 1].second >= d->n_levels) /* of operations that were not done */
		d->n_races--;
	return r;
}

static void give_up_path(struct dpor *d)
{
	vtb_dpor_drop_tree(d, d->path);
	d->path = DPOR_NONE;
}

static void forget_path(struct dpor *d, enum dpor_followed how)
{
	d->diverged += how == DPOR_DIVERGED;
	d->vain += how == DPOR_IN_VAIN;
	d->again = 0;
	give_up_path(d);
}

static int take_afresh(struct dpor *d);

/* What is shown of it is in d->shown. */
static int take(struct dpor *d, size_t kept, const struct vtb_exec *x)
{
	enum dpor_followed how;
	size_t first_race;
	int r;

	how = vtb_dpor_followed(d, x, kept);
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
	first_race = d->n_races;
	d->held = (x->outcome.flags & (VTB_OUT_SPUN | VTB_OUT_ASSUMED)) != 0;
	r = append(d, x, kept);
	if (r == 0) {
		d->classes++;
		d->spun |= d->held;
		d->spun_open |= (x->outcome.flags & (VTB_OUT_SPUN_OPEN | VTB_OUT_ASSUMED)) != 0;
		d->cut += vtb_verdict_is_cut(x->outcome.verdict) ||
		          (x->outcome.verdict == VTB_V_LIVELOCK && !vtb_dpor_nobody_could_go_on(&x->outcome));
		r = find_pending_races(d, x);
	}
	vtb_dpor_drop_tree(d, d->carried);
	d->carried = DPOR_NONE;
	return r < 0 ? r : turn_round(d, x, kept ? kept - 1 : 0, first_race);
}

/* More is shown than before: from the first run on. */
static int take_afresh(struct dpor *d)
{
	int r;

	do {
		vtb_dpor_begin_afresh(d);
		r = vtb_dpor_show(d, &d->first);
	} while (r == 1);
	if (r >= 0)
		r = room_for_run(d, &d->first);
	return r < 0 ? r : take(d, 0, &d->first);
}

int vtb_dpor_read_run(struct dpor *d, size_t kept, const struct vtb_exec *x)
{
	int r = room_for_run(d, x);

	d->runs++;
	if (r < 0)
		return r;
	d->arrived |= (x->outcome.flags & VTB_OUT_ARRIVED) != 0;
	d->possible |= vtb_chances_possible(&d->chances, x);
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
	vtb_dpor_begin_afresh(d);
	r = room_for_run(d, x);
	if (r >= 0)
		r = vtb_dpor_show(d, x);
	d->held = (x->outcome.flags & (VTB_OUT_SPUN | VTB_OUT_ASSUMED)) != 0;
	if (r >= 0)
		r = append(d, x, 0);
	if (r >= 0)
		r = find_pending_races(d, x);
	return r < 0 ? r : turn_round(d, x, 0, 0);
}
