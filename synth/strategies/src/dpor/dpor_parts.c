/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many runs at a time: the subtrees of a search side by side. A part explores what begins with its first operation at
 * some state of the run of another part, the one above it:
 *
 *     whole    o──o──u──o──o──o        levels below `base` are those of the part above: what is to be tried there, and
 *     part 1         ├──o──o──o        what was, is kept once, with it
 *     part 2         └──o──┬──o
 *     part 3               └──o        part 2 is above it
 *
 * Who sleeps in a part is who was tried at its state before, as in a search that goes down first. A part begins there
 * only with an operation that wakes everybody who was begun and is not done with; so who sleeps in it is done with,
 * and all that was to be learnt from that for what begins with this operation is there. What is learnt later from
 * those who were begun earlier, and could begin with this operation, is left out, as a search that goes down first
 * leaves out what it learns of a state's earlier branches: behind an operation all is explored that does not begin
 * with somebody who sleeps, whoever learns of it. Without that rule it is not: where a run ends early, by a failure or
 * the end of the process, what would have been done by who sleeps is not done, and only they can show what is like it
 * without them. See docs/decisions/0047.
 *
 * A round: every part plans its next run; then parts begin wherever something is left, at most one at each state,
 * those nearest to the beginning first, since most is behind them. When all runs of the round were taken their races
 * are turned round. Rounds do not depend on how many runs are asked for at a time or on who makes them: a search does
 * the same with any number of processes.
 *
 * Two rounds are under way if the search wants that: while the program makes the runs of one, the races of the other
 * are turned round and its next runs are planned. What a part does otherwise at a state is *open* there until its run
 * was taken. At such a state nothing else begins, so at most one part is open there, and whoever would go on there
 * waits. A sequence that is found for it meanwhile is left out if what is open could begin with it and was not in
 * doubt; if it was, the sequence is kept in doubt: who sleeps there when it is known decides, as always.
 */
#include <errno.h>
#include <stdlib.h>

#include "dpor.h"
#include "vtb/array.h"
#include "vtb/predicate.h"

/* ---- what is left at a level */

static int add_sleeper(struct dpor *d, const struct dpor_op *op, uint32_t from)
{
	if (vtb_array_room(d, sleepers) < 0)
		return -ENOMEM;
	d->sleepers[d->n_sleepers++] = (struct dpor_sleeper){ .op = *op, .from = from, .woken = DPOR_NONE };
	return 0;
}

/* What was tried at the last level sleeps from now on in what is tried there next. */
static int put_to_sleep(struct dpor *d)
{
	const uint32_t level = (uint32_t)d->n_levels - 1;
	struct dpor_level *l = &d->levels[level];
	int r = 0;

	while (d->n_sleepers && d->sleepers[d->n_sleepers - 1].from > level) /* of levels that are done with */
		d->n_sleepers--;
	if (l->seen)
		r = add_sleeper(d, &l->op, level);
	l->seen = false;
	for (uint32_t k = l->taken; r >= 0 && k != DPOR_NONE; k = d->all->nodes[k].next)
		r = add_sleeper(d, &d->all->nodes[k].op, level);
	vtb_dpor_drop_tree(d, l->taken);
	l->taken = DPOR_NONE;
	return r;
}

/* Undo what operations from the last level on did to the sleepers and histories. */
static void go_back(struct dpor *d)
{
	const uint32_t level = (uint32_t)d->n_levels - 1;

	for (uint32_t t = 0; t < d->width; t++)
		d->live[t] = DPOR_NONE;
	for (size_t k = 0; k < d->n_sleepers; k++) {
		struct dpor_sleeper *s = &d->sleepers[k];

		if (s->woken != DPOR_NONE && s->woken > level)
			s->woken = DPOR_NONE;
		if (s->woken == DPOR_NONE)
			d->live[s->op.event.thread] = (uint32_t)k;
	}
	vtb_dpor_forget(d, level);
}

/* Memory was full: everybody who can go on and does not sleep, one after the other. */
static int plan_somebody(struct dpor *d)
{
	const uint32_t level = (uint32_t)d->n_levels - 1;
	struct dpor_level *l = &d->levels[level];

	for (; d->all->full && l->asked < d->width; l->asked++)
		if (dpor_enabled(d, level, l->asked) && d->live[l->asked] == DPOR_NONE)
			return vtb_dpor_plan_thread(d, level, l->asked++);
	return 0;
}

static bool has_something(const struct dpor_level *l)
{
	return l->tree != DPOR_NONE || l->doubts != DPOR_NONE;
}

/* The same at the last level; `ret` is an error. */
static uint32_t next_at_level(struct dpor *d, int *ret)
{
	const uint32_t level = (uint32_t)d->n_levels - 1;
	uint32_t node;

	if (!has_something(&d->levels[level]) && !d->all->full)
		return DPOR_NONE;
	go_back(d);
	node = vtb_dpor_take_next(d, level, &d->doubtful);
	if (node != DPOR_NONE || has_something(&d->levels[level]) || d->levels[level].parts)
		return node;
	*ret = plan_somebody(d);
	return *ret < 0 ? DPOR_NONE : vtb_dpor_take_next(d, level, &d->doubtful);
}

/* The part's next run is planned: what comes of it at its last level is open until it is taken. */
static void make_ready(struct dpor *d)
{
	struct dpor *at = d->fresh ? d->above : d;

	at->levels[d->n_levels - 1].open = d;
	d->state = DPOR_READY;
	d->all->n_ready++;
}

void vtb_dpor_close(struct dpor *d)
{
	struct dpor *at = d->fresh ? d->above : d;

	if (d->n_levels)
		at->levels[d->n_levels - 1].open = NULL;
	d->state = DPOR_TAKEN;
}

/* The part's next run does what the node says at its last level, and what is below. */
static void follow(struct dpor *d, uint32_t node)
{
	d->levels[d->n_levels - 1].op = d->all->nodes[node].op;
	d->path = d->all->nodes[node].child;
	vtb_dpor_free_node(d, node);
	make_ready(d);
}

/* Depth first: the deepest level of the part that has something left. d->state says what came of it. */
static int depart(struct dpor *d)
{
	int r = 0;

	while (d->n_levels > d->base) {
		struct dpor_level *l = &d->levels[d->n_levels - 1];
		uint32_t node;

		d->state = DPOR_WAITS;
		if (l->open) /* by a part below */
			return 0;
		if (l->op.event.kind && l->seen)
			d->last[l->op.event.thread] = l->before;
		r = put_to_sleep(d);
		node = r < 0 ? DPOR_NONE : next_at_level(d, &r);
		if (r < 0)
			return r;
		if (node != DPOR_NONE) {
			follow(d, node);
			return 0;
		}
		if (l->parts) /* they may find something for it */
			return 0;
		d->n_levels--;
	}
	d->state = DPOR_ENDED;
	return 0;
}

/* ---- a new part */

static int inherit_sleepers(struct dpor *part, const struct dpor *d, uint32_t level)
{
	const struct dpor_level *l = &d->levels[level];
	int r = 0;

	for (size_t k = 0; r >= 0 && k < d->n_sleepers && d->sleepers[k].from <= level; k++)
		if (level < d->sleepers[k].woken)
			r = add_sleeper(part, &d->sleepers[k].op, level);
	for (uint32_t k = l->taken; r >= 0 && k != DPOR_NONE; k = d->all->nodes[k].next)
		r = add_sleeper(part, &d->all->nodes[k].op, level);
	return r >= 0 && l->seen ? add_sleeper(part, &l->op, level) : r;
}

/* Of the way there only the operations: what they depend on is found when the part's first run is taken. */
static int copy_way(struct dpor *part, const struct dpor *d, uint32_t level)
{
	for (uint32_t i = 0; i <= level; i++) {
		if (vtb_array_room(part, levels) < 0)
			return -ENOMEM;
		part->levels[part->n_levels++] = (struct dpor_level){ .op = d->levels[i].op,
			                                              .tree = DPOR_NONE,
			                                              .doubts = DPOR_NONE,
			                                              .taken = DPOR_NONE,
			                                              .races = DPOR_NONE };
	}
	return 0;
}

/* It does at the level of `d` what the node says, which was taken from there. */
static int begin_part(struct dpor *part, struct dpor *d, uint32_t level, uint32_t node, bool doubtful)
{
	int r = vtb_dpor_make_room(part, d);

	vtb_dpor_clear(part);
	if (r >= 0)
		r = copy_way(part, d, level);
	if (r >= 0)
		r = inherit_sleepers(part, d, level);
	if (r < 0)
		return r;
	part->above = d;
	part->base = level + 1;
	part->fresh = true;
	part->doubtful = doubtful;
	part->symbolic |= d->symbolic;
	d->levels[level].parts++;
	follow(part, node);
	return 0;
}

/* One that has ended, or a new one; NULL: there are as many as may be, or (*ret is an error) no memory. */
static struct dpor *free_part(struct dpor_all *all, int *ret)
{
	struct dpor *part = NULL;

	for (uint32_t i = 0; i < all->n_parts; i++)
		if (all->parts[i]->state == DPOR_ENDED)
			return all->parts[i];
	if (all->n_parts == DPOR_PARTS)
		return NULL;
	*ret = vtb_dpor_new_part(all, &part);
	return part;
}

/* ---- a round */

/* The next run of the part is planned; where it has ended, who has waited for that goes on. */
static int advance(struct dpor *d)
{
	int r = 0;

	if (d->again) {
		make_ready(d);
		return 0;
	}
	for (bool waited = true; r >= 0 && waited;) {
		const uint32_t began = d->base;

		r = depart(d);
		waited = r >= 0 && d->state == DPOR_ENDED && d->above;
		if (waited) {
			d = d->above;
			d->levels[began - 1].parts--;
			waited = d->state == DPOR_WAITS;
		}
	}
	return r;
}

/* Runs of one round: half of those that are under way if another round is meanwhile. */
static uint32_t round_of(const struct dpor_all *all)
{
	return all->parts[0]->space->ahead ? DPOR_ROUND / 2 : DPOR_ROUND;
}

/* The first level of the part's own from `level` on, but for its last one, at which something is left that another part
 * might begin with; or DPOR_NONE. */
static uint32_t left_from(const struct dpor *d, uint32_t level)
{
	for (; level + 1 < d->n_levels; level++)
		if (!d->levels[level].open && has_something(&d->levels[level]))
			return level;
	return DPOR_NONE;
}

/* One part begins at the level, if that is possible. 1: there are no more parts. */
static int begin_at(struct dpor *d, uint32_t level)
{
	bool doubtful;
	uint32_t node;
	int r = 0;
	struct dpor *part = free_part(d->all, &r);

	if (!part)
		return r < 0 ? r : 1;
	node = vtb_dpor_take_next(d, level, &doubtful);
	return node == DPOR_NONE ? 0 : begin_part(part, d, level, node, doubtful);
}

/* Parts begin wherever something is left on the way to a run that is planned, the lowest level first. */
static int begin_parts(struct dpor_all *all)
{
	const uint32_t n = all->n_parts;
	uint32_t at[DPOR_PARTS];
	int r = 0;

	for (uint32_t i = 0; i < n; i++)
		at[i] = all->parts[i]->state == DPOR_ENDED ? DPOR_NONE : left_from(all->parts[i], all->parts[i]->base);
	while (r == 0 && all->n_ready < round_of(all)) {
		uint32_t first = 0;

		for (uint32_t i = 1; i < n; i++)
			first = at[i] < at[first] ? i : first;
		if (at[first] == DPOR_NONE)
			break;
		r = begin_at(all->parts[first], at[first]);
		at[first] = left_from(all->parts[first], at[first] + 1);
	}
	return r < 0 ? r : 0;
}

static size_t longest(const struct dpor_all *all)
{
	size_t most = 0;

	for (uint32_t i = 0; i < all->n_parts; i++)
		if (all->parts[i]->state != DPOR_ENDED && all->parts[i]->n_levels > most)
			most = all->parts[i]->n_levels;
	return most;
}

/* What is hidden changes the whole search when it is shown; what is put together depends on all that was run before. */
static bool may_divide(const struct dpor_all *all, size_t levels)
{
	return !vtb_dpor_predicate(all->parts[0]) && !all->composer && !all->full && levels <= DPOR_PART_LEVELS;
}

int vtb_dpor_begin_round(struct dpor_all *all)
{
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < all->n_parts; i++)
		r = vtb_dpor_turn_races(all->parts[i]);
	for (uint32_t i = 0; r >= 0 && i < all->n_parts; i++)
		if (all->parts[i]->state == DPOR_TAKEN || all->parts[i]->state == DPOR_WAITS)
			r = advance(all->parts[i]);
	if (r >= 0 && may_divide(all, longest(all)))
		r = begin_parts(all);
	all->exhausted = all->parts[0]->state == DPOR_ENDED && !vtb_dpor_has_missed(all);
	return r;
}
