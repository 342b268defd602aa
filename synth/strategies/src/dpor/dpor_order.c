/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the operations of a run depend on, as clocks, and which pairs of them can be turned round. Every object and byte
 * range has a history (dpor_cells.c); an operation walks back on those that it touches until the rest is known to come
 * before it, so that long runs cost no more per operation than short ones.
 */
#include "dpor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/rng.h"

void vtb_dpor_order_fini(struct dpor *d)
{
	free(d->cells);
	free(d->touches);
	free(d->slots);
	free(d->links);
	free(d->wide);
	free(d->met);
	free(d->candidates);
	free(d->races);
}

/* ---- races and clocks */

static void join(uint32_t *clock, const uint32_t *other, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		clock[i] = clock[i] < other[i] ? other[i] : clock[i];
}

/* Keep the levels met in descending order, each once. */
static int add_candidate(struct dpor *d, uint32_t level)
{
	size_t at;

	if (vtb_array_room(d, candidates) < 0)
		return -ENOMEM;
	for (at = d->n_candidates; at > 0 && d->candidates[at - 1] <= level; at--)
		if (d->candidates[at - 1] == level)
			return 0;
	memmove(d->candidates + at + 1, d->candidates + at, (d->n_candidates - at) * sizeof(*d->candidates));
	d->candidates[at] = level;
	d->n_candidates++;
	return 0;
}

static bool looks_only(const struct dpor_op *op)
{
	return (op->event.kind == VTB_E_READ || op->event.kind == VTB_E_ATOMIC_LOAD) && !vtb_dpor_is_global(op);
}

/* The newest touch at or below `t` that matters to an operation: what is only read may have been read as often as the
 * run is long. */
static uint32_t skip_looks(const struct dpor *d, uint32_t t, bool look)
{
	return look && t != DPOR_NONE && d->touches[t].looks ? d->touches[t].other : t;
}

/* Does all come before that has been done by then by the thread of a touch? */
static bool is_before(const struct dpor *d, const struct dpor_touch *touch, const struct dpor_op *op, uint32_t before)
{
	return d->levels[touch->level].op.event.thread == op->event.thread || dpor_ordered(d, touch->level, before);
}

/* Back along the history of one cell, as long as something on it is not known to come before. What one thread did in a
 * row is one step if the last of it is known: a thread may have been alone with the cell for most of a long run. */
static int walk_back(struct dpor *d, uint32_t cell, const struct dpor_op *op, uint32_t before, uint32_t *clock,
                     bool pending)
{
	const bool look = looks_only(op);
	int r = 0;

	for (uint32_t t = skip_looks(d, d->cells[cell].head, look), next; r >= 0 && t != DPOR_NONE;
	     t = skip_looks(d, next, look)) {
		const struct dpor_touch touch = d->touches[t];
		const struct dpor_level *l = &d->levels[touch.level];
		const bool known = is_before(d, &touch, op, before);
		bool turns = false; /* round, for sure */

		if (!known && vtb_dpor_dependent(&l->op, op)) {
			join(clock, dpor_clock(d, touch.level), d->width);
			r = add_candidate(d, touch.level);
			turns = vtb_dpor_coenabled(&l->op.event, &op->event) &&
			        vtb_dpor_feasible(d, touch.level, &op->event, before, pending) == DPOR_CAN;
		}
		if (known ? touch.some_write : turns && touch.writes) /* all that is older here comes before that */
			break;
		next = known ? touch.foreign : touch.below;
	}
	return r;
}

/* The last operation of every thread: what an operation that depends on everything meets. */
static int meet_everybody(struct dpor *d, const struct dpor_op *op, uint32_t before, uint32_t *clock)
{
	int r = 0;

	for (uint32_t t = 0; r >= 0 && t < d->width; t++)
		if (d->last[t] && t != op->event.thread && !dpor_ordered(d, d->last[t] - 1, before)) {
			join(clock, dpor_clock(d, d->last[t] - 1), d->width);
			r = add_candidate(d, d->last[t] - 1);
		}
	return r;
}

/* Among the levels met: those that can be turned round, and lie behind no other such level. What comes before a level
 * that has to come first (a thread is created before it begins) has to come first, too. */
static int note_races(struct dpor *d, const struct dpor_op *op, uint32_t before, uint32_t second)
{
	const size_t first_race = d->n_races;
	uint32_t must = DPOR_NONE;

	for (size_t k = 0; k < d->n_candidates; k++) {
		const uint32_t i = d->candidates[k];
		enum dpor_feasible feasible;
		bool behind = must != DPOR_NONE && dpor_ordered(d, i, must + 1);

		if (!behind && !vtb_dpor_coenabled(&d->levels[i].op.event, &op->event)) {
			must = i;
			continue;
		}
		feasible = vtb_dpor_feasible(d, i, &op->event, before, second >= d->n_levels);
		for (size_t n = first_race; n < d->n_races && !behind; n++)
			behind = d->races[n].known && dpor_ordered(d, i, d->races[n].first + 1);
		if (behind || feasible == DPOR_CANNOT)
			continue;
		if (vtb_array_room(d, races) < 0)
			return -ENOMEM;
		d->races[d->n_races++] = (struct dpor_race){
			.first = i, .second = second, .next = DPOR_NONE, .known = feasible == DPOR_CAN
		};
	}
	return 0;
}

/* It comes after what let its thread go on, although they may touch different things. */
static int meet_releaser(struct dpor *d, const struct dpor_op *op, uint32_t before, uint32_t second, uint32_t *clock)
{
	const uint32_t level = second < d->n_levels ? vtb_dpor_let_go_by(d, &op->event, before, second) : DPOR_NONE;

	if (level == DPOR_NONE || dpor_ordered(d, level, before))
		return 0;
	join(clock, dpor_clock(d, level), d->width);
	return add_candidate(d, level);
}

static int relate(struct dpor *d, const struct dpor_op *op, uint32_t before, uint32_t second, uint32_t *clock,
                  struct dpor_own *own)
{
	int r;

	if (before)
		memcpy(clock, dpor_clock(d, before - 1), d->width * sizeof(*clock));
	else
		memset(clock, 0, d->width * sizeof(*clock));
	d->n_met = d->n_candidates = 0;
	d->relations++;
	r = vtb_dpor_find_cells(d, op, own);
	for (size_t k = 0; r >= 0 && k < d->n_met; k++)
		r = walk_back(d, d->met[k], op, before, clock, second >= d->n_levels);
	if (r >= 0 && vtb_dpor_is_global(op))
		r = meet_everybody(d, op, before, clock);
	if (r >= 0)
		r = meet_releaser(d, op, before, second, clock);
	return r < 0 ? r : note_races(d, op, before, second);
}

static bool writes(const struct dpor_op *op)
{
	const struct vtb_event_info *info = vtb_event_info(op->event.kind);

	return info && info->flags & VTB_EV_WRITES &&
	       (vtb_event_reads_io(&op->event) ||
	        !vtb_event_changes_io(op->event.kind)); /* two writes to different files do not meet */
}

static int leave(struct dpor *d, size_t level, uint32_t cell, bool writing)
{
	const uint32_t below = d->cells[cell].head;
	const bool again = below != DPOR_NONE &&
	                   d->levels[d->touches[below].level].op.event.thread == d->levels[level].op.event.thread;

	if (vtb_array_room(d, touches) < 0)
		return -ENOMEM;
	d->touches[d->n_touches] =
	    (struct dpor_touch){ .level = (uint32_t)level,
		                 .cell = cell,
		                 .below = below,
		                 .other = skip_looks(d, below, true),
		                 .foreign = again ? d->touches[below].foreign : below,
		                 .writes = writing,
		                 .some_write = writing || (again && d->touches[below].some_write),
		                 .looks = looks_only(&d->levels[level].op) };
	if (!d->cells[cell].addr && d->cells[cell].var < DPOR_IO_VAR)
		d->touches[d->n_touches].state = vtb_dpor_object_after(below == DPOR_NONE ? 0 : d->touches[below].state,
		                                                       &d->levels[level].op.event, d->cells[cell].var);
	d->cells[cell].head = (uint32_t)d->n_touches++;
	return 0;
}

/* Of an operation and those that it depends on. */
static uint64_t hash_of(const struct dpor *d, size_t level)
{
	const uint32_t *clock = dpor_clock(d, level);
	uint64_t h = d->levels[level].op.event.thread;

	for (uint32_t t = 0; t < d->width; t++)
		h = h * 0x9e3779b97f4a7c15ull + clock[t];
	return vtb_mix64(h);
}

int vtb_dpor_order(struct dpor *d, size_t level)
{
	struct dpor_level *l = &d->levels[level];
	uint32_t *clock = d->clocks + level * d->width;
	const size_t first_race = d->n_races;
	struct dpor_own own = { .n = 0 };
	int r = relate(d, &l->op, l->before, (uint32_t)level, clock, &own);

	clock[l->op.event.thread] = l->index;
	l->hash = (l->before ? d->levels[l->before - 1].hash : 0) + hash_of(d, level);
	for (size_t k = first_race; k < d->n_races; k++) {
		struct dpor_level *first = &d->levels[d->races[k].first];

		d->races[k].next = first->races;
		first->races = (uint32_t)k;
	}
	if (r >= 0 && vtb_dpor_is_global(&l->op))
		r = leave(d, level, own.cells[0], true);
	for (unsigned k = 1; r >= 0 && k < own.n; k++)
		r = leave(d, level, own.cells[k], writes(&l->op) && !(own.parts >> k & 1));
	return r;
}

int vtb_dpor_order_pending(struct dpor *d, const struct dpor_op *op, size_t k)
{
	struct dpor_own own = { .n = 0 };

	return relate(d, op, d->last[op->event.thread], (uint32_t)(d->n_levels + k), d->pending_clock, &own);
}

void vtb_dpor_forget(struct dpor *d, size_t level)
{
	while (d->n_touches && d->touches[d->n_touches - 1].level >= level) {
		const struct dpor_touch *t = &d->touches[--d->n_touches];

		d->cells[t->cell].head = t->below;
	}
	while (d->n_races && d->races[d->n_races - 1].second >= level) {
		const struct dpor_race *race = &d->races[--d->n_races];

		d->levels[race->first].races = race->next;
	}
}

/* ---- what goes on beside an operation */

/* The first operation of `thread` at level `from` or later: its number from 0. */
static uint32_t first_at(const struct dpor *d, uint32_t thread, size_t from)
{
	uint32_t low = 0, high = d->last[thread] ? d->levels[d->last[thread] - 1].index : 0;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (d->lines[thread].ops[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first one from number `low` on that depends on level i. */
static uint32_t first_after(const struct dpor *d, uint32_t thread, uint32_t low, size_t i)
{
	const struct dpor_level *l = &d->levels[i];
	uint32_t high = d->last[thread] ? d->levels[d->last[thread] - 1].index : 0;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (dpor_clock(d, d->lines[thread].ops[middle])[l->op.event.thread] < l->index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t hash_up_to(const struct dpor *d, uint32_t thread, uint32_t n)
{
	return n ? d->levels[d->lines[thread].ops[n - 1]].hash : 0;
}

void vtb_dpor_find_new(struct dpor *d, size_t from)
{
	for (uint32_t t = 0; t < d->width; t++) {
		const uint32_t n = first_at(d, t, from);

		d->first_new[t] = d->last[t] && n < d->levels[d->last[t] - 1].index ? d->lines[t].ops[n] + 1 : 0;
	}
}

/* What comes behind the first operation that depends on it does, too. */
static bool new_beside(const struct dpor *d, const struct dpor_level *l)
{
	const uint32_t thread = l->op.event.thread;

	for (uint32_t t = 0; t < d->width; t++)
		if (d->first_new[t] && t != thread && dpor_clock(d, d->first_new[t] - 1)[thread] < l->index)
			return true;
	return false;
}

bool vtb_dpor_other_beside(struct dpor *d, size_t i)
{
	struct dpor_level *l = &d->levels[i];
	uint64_t sum = 1;

	if (!new_beside(d, l))
		return false;
	for (uint32_t t = 0; t < d->width; t++) {
		uint32_t low, high;

		if (!d->last[t] || d->last[t] - 1 < i || t == l->op.event.thread)
			continue;
		low = first_at(d, t, i + 1);
		high = first_after(d, t, low, i);
		sum += hash_up_to(d, t, high) - hash_up_to(d, t, low);
	}
	if (sum == l->beside)
		return false;
	l->beside = sum;
	return true;
}
