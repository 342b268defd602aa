/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is to be tried at each state: a tree of sequences of operations. A sequence is only added if nothing that sleeps at the
 * state and no sequence that is there already leads to the same, so that no run is made in vain.
 *
 * A thread is a *weak initial* of a sequence if its next operation could come first in it: it is in it with nothing before that it depends
 * on, or it is not in it and depends on nothing in it.
 * Source: [SOURCE17].
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dpor.h"
#include "vtb/array.h"

static int64_t take_node(struct dpor *d, const struct dpor_op *op)
{
	uint32_t id = d->free_nodes;

	if (id != DPOR_NONE) {
		d->free_nodes = d->nodes[id].next;
	} else {
		if (vtb_array_room(d, nodes) < 0)
			return -ENOMEM;
		id = (uint32_t)d->n_nodes++;
	}
	d->used_nodes++;
	d->nodes[id] = (struct dpor_node){ .op = *op, .child = DPOR_NONE, .next = DPOR_NONE };
	return id;
}

void vtb_dpor_free_node(struct dpor *d, uint32_t node)
{
	d->nodes[node].next = d->free_nodes;
	d->free_nodes = node;
	d->used_nodes--;
}

void vtb_dpor_drop_tree(struct dpor *d, uint32_t node)
{
	while (node != DPOR_NONE) {
		const uint32_t next = d->nodes[node].next;

		vtb_dpor_drop_tree(d, d->nodes[node].child);
		vtb_dpor_free_node(d, node);
		node = next;
	}
}

/* ---- the sequence: what does not depend on the race's first operation, then the second */

struct sequence {
	struct dpor *d;
	const struct dpor_op *second;
	uint32_t before;   /* level of the operation of second's thread before it + 1 */
	bool cautious;
};

#define SECOND DPOR_NONE /* stands for it among the levels */

static const struct dpor_op *op_at(const struct sequence *s, size_t k)
{
	const uint32_t level = s->d->sequence[k];

	return level == SECOND ? s->second : &s->d->levels[level].op;
}

/* Does item k come before item n > k, seen in the sequence alone? If n is its thread's first item. */
static bool item_before(const struct sequence *s, size_t k, size_t n)
{
	const uint32_t level = s->d->sequence[n];

	if (level == SECOND)
		return vtb_dpor_dependent(op_at(s, k), s->second);
	return dpor_ordered(s->d, s->d->sequence[k], level + 1);
}

/* Place of the first operation of `thread`, or n_sequence. */
static size_t first_of(const struct sequence *s, uint32_t thread)
{
	size_t k = 0;

	while (k < s->d->n_sequence && op_at(s, k)->event.thread != thread)
		k++;
	return k;
}

static bool could_be_first(const struct sequence *s, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (item_before(s, k, n))
			return false;
	return true;
}

static bool depends_on_none(const struct sequence *s, const struct dpor_op *op)
{
	for (size_t k = 0; k < s->d->n_sequence; k++)
		if (vtb_dpor_dependent(op_at(s, k), op))
			return false;
	return true;
}

/* 1: the operation comes first, and was taken out if it is in the sequence. */
static bool begin_with(struct sequence *s, const struct dpor_op *op, bool take_out)
{
	struct dpor *d = s->d;
	const size_t at = first_of(s, op->event.thread);

	if (at == d->n_sequence)
		return depends_on_none(s, op);
	if (!could_be_first(s, at))
		return false;
	if (take_out) {
		memmove(d->sequence + at, d->sequence + at + 1, (d->n_sequence - at - 1) * sizeof(*d->sequence));
		d->n_sequence--;
	}
	return true;
}

static int add_item(struct dpor *d, uint32_t level)
{
	if (vtb_array_room(d, sequence) < 0)
		return -ENOMEM;
	d->sequence[d->n_sequence++] = level;
	return 0;
}

/* All that the run did without the first operation; if the second one may not be possible there, only what leads to it. */
static int fill(struct sequence *s, const struct dpor_race *race)
{
	struct dpor *d = s->d;
	const uint32_t i = race->first, thread = d->levels[i].op.event.thread, index = d->levels[i].index;
	int r = 0;

	d->n_sequence = 0;
	for (uint32_t j = i + 1; r >= 0 && j < d->n_levels; j++)
		if (j != race->second && dpor_clock(d, j)[thread] < index && (race->known || dpor_ordered(d, j, s->before)))
			r = add_item(d, j);
	if (r >= 0 && race->known)
		r = add_item(d, SECOND);
	return r;
}

/* Is the sequence included in what was tried at the level? */
static bool sleeps(struct sequence *s, uint32_t level)
{
	const struct dpor *d = s->d;

	for (size_t k = 0; k < d->n_sleepers && d->sleepers[k].from <= level; k++)
		if (level < d->sleepers[k].woken && begin_with(s, &d->sleepers[k].op, false))
			return true;
	return false;
}

/* How an operation that comes earlier now will come out is not known: as what depends on most. */
static struct dpor_op guess(const struct dpor_op *op)
{
	struct dpor_op g = *op;

	if (g.event.kind == VTB_E_ATOMIC_CAS_FAIL)
		g.event.kind = VTB_E_ATOMIC_RMW;
	return g;
}

/* The rest of the sequence below a node, or at the level itself. */
static int append(struct sequence *s, uint32_t level, uint32_t parent)
{
	struct dpor *d = s->d;
	const bool shorten = d->used_nodes >= d->max_nodes;

	for (size_t k = 0; k < d->n_sequence; k++) {
		const struct dpor_op op = d->sequence[k] == SECOND ? guess(s->second) : *op_at(s, k);
		const int64_t id = take_node(d, &op);
		uint32_t *at;

		if (id < 0)
			return (int)id;
		d->nodes[id].cautious = s->cautious;
		at = parent == DPOR_NONE ? &d->levels[level].tree : &d->nodes[parent].child;
		while (*at != DPOR_NONE)
			at = &d->nodes[*at].next;
		*at = (uint32_t)id;
		parent = (uint32_t)id;
		if (shorten) {
			d->shortened++;
			break;
		}
	}
	return 0;
}

static int insert(struct sequence *s, uint32_t level)
{
	struct dpor *d = s->d;
	uint32_t parent = DPOR_NONE, child = d->levels[level].tree;

	while (child != DPOR_NONE && d->n_sequence) {
		if (!begin_with(s, &d->nodes[child].op, true)) {
			child = d->nodes[child].next;
			continue;
		}
		if (d->nodes[child].child == DPOR_NONE) /* whatever follows will be looked at */
			return 0;
		parent = child;
		child = d->nodes[child].child;
	}
	return append(s, level, parent);
}

int vtb_dpor_turn_round(struct dpor *d, const struct dpor_race *race, const struct dpor_op *second, uint32_t before)
{
	struct sequence s = { .d = d, .second = second, .before = before, .cautious = !race->known };
	int r = fill(&s, race);

	if (r < 0 || !d->n_sequence || sleeps(&s, race->first))
		return r;
	return insert(&s, race->first);
}

int vtb_dpor_plan_thread(struct dpor *d, size_t level, uint32_t thread)
{
	const struct dpor_op op = { .event = { .thread = (uint16_t)thread, .var = VTB_NONE, .site = VTB_NONE }, .world = true };
	int64_t id;

	for (uint32_t k = d->levels[level].tree; k != DPOR_NONE; k = d->nodes[k].next)
		if (d->nodes[k].op.event.thread == thread)
			return 0;
	id = take_node(d, &op);
	if (id < 0)
		return (int)id;
	d->nodes[id].next = d->levels[level].tree;
	d->levels[level].tree = (uint32_t)id;
	return 0;
}
