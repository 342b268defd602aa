/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is to be tried at each state: a tree of sequences of operations, and a list of sequences in doubt. A sequence is
 * only added if nothing that sleeps at the state and no sequence in the tree already leads to the same.
 *
 * A thread is a *weak initial* of a sequence if its next operation could come first in it: it is in it with nothing
 * before that it depends on, or it is not in it and depends on nothing in it.
 *
 * A leaf of the tree stands for all that its sequence is compatible with, so its last operation must be known to take
 * place and to come out as it is there. Sequences of which that is not known are in doubt: they leave nothing out, go
 * on to the next state with every operation that they could begin with, and are dropped there once a sleeper could be
 * first. Source: [SOURCE17], algorithm 2.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dpor.h"
#include "vtb/array.h"

int64_t vtb_dpor_take_node(struct dpor *d, const struct dpor_op *op)
{
	uint32_t id = d->all->free_nodes;

	if (id != DPOR_NONE) {
		d->all->free_nodes = d->all->nodes[id].next;
	} else {
		if (vtb_array_room(d->all, nodes) < 0)
			return -ENOMEM;
		id = (uint32_t)d->all->n_nodes++;
	}
	d->all->used_nodes++;
	d->all->nodes[id] = (struct dpor_node){ .op = *op, .child = DPOR_NONE, .next = DPOR_NONE };
	return id;
}

void vtb_dpor_free_node(struct dpor *d, uint32_t node)
{
	d->all->nodes[node].next = d->all->free_nodes;
	d->all->free_nodes = node;
	d->all->used_nodes--;
}

/* Children come before their parent among its siblings, one by one: a sequence may be a million nodes deep. */
void vtb_dpor_drop_tree(struct dpor *d, uint32_t node)
{
	while (node != DPOR_NONE) {
		struct dpor_node *x = &d->all->nodes[node];
		const uint32_t child = x->child, next = x->next;

		if (child == DPOR_NONE) {
			vtb_dpor_free_node(d, node);
			node = next;
		} else {
			x->child = d->all->nodes[child].next;
			d->all->nodes[child].next = node;
			node = child;
		}
	}
}

/* ---- the sequence: what does not depend on the race's first operation, then the second */

struct sequence {
	struct dpor *d;        /* whose run shows it */
	size_t from;           /* of d->sequence, where it begins now */
	struct dpor *at;       /* whose the state is */
	bool beside;           /* what is tried there now is beside that run, and was tried, too */
	struct dpor_op second; /* as it is thought to come out there */
};

#define SECOND DPOR_NONE /* stands for it among the levels */

static uint32_t item(const struct sequence *s, size_t k)
{
	return s->d->sequence[s->from + k];
}

static const struct dpor_op *op_at(const struct sequence *s, size_t k)
{
	const uint32_t level = item(s, k);

	return level == SECOND ? &s->second : &s->d->levels[level].op;
}

/* Does item k come before item n > k, seen in the sequence alone? If n is its thread's first item. */
static bool item_before(const struct sequence *s, size_t k, size_t n, const struct dpor_op *op)
{
	const uint32_t level = item(s, n);

	if (level == SECOND)
		return vtb_dpor_dependent(op_at(s, k), op);
	return dpor_ordered(s->d, item(s, k), level + 1);
}

/* Place of the first operation of `thread`, or n_sequence. */
static size_t first_of(const struct sequence *s, uint32_t thread)
{
	size_t k = 0;

	while (k < s->d->n_sequence && op_at(s, k)->event.thread != thread)
		k++;
	return k;
}

/* `op`: item n, as it comes out there. */
static bool could_be_first(const struct sequence *s, size_t n, const struct dpor_op *op)
{
	for (size_t k = 0; k < n; k++)
		if (item_before(s, k, n, op))
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

/* Most are at the beginning. O(items before it). */
static void take_out_item(struct sequence *s, size_t k)
{
	uint32_t *items = s->d->sequence + s->from;

	memmove(items + 1, items, k * sizeof(*items));
	s->from++;
	s->d->n_sequence--;
}

/* 1: the operation comes first, and was taken out if it is in the sequence. */
static bool begin_with(struct sequence *s, const struct dpor_op *op, bool take_out)
{
	struct dpor *d = s->d;
	const size_t at = first_of(s, op->event.thread);

	if (at == d->n_sequence)
		return depends_on_none(s, op);
	if (!could_be_first(s, at, op))
		return false;
	if (take_out)
		take_out_item(s, at);
	return true;
}

static int add_item(struct dpor *d, uint32_t level)
{
	if (vtb_array_room(d, sequence) < 0)
		return -ENOMEM;
	d->sequence[d->n_sequence++] = level;
	return 0;
}

/* All that the run did without the first operation, and then the second one. */
static int fill(struct sequence *s, const struct dpor_race *race)
{
	struct dpor *d = s->d;
	const uint32_t i = race->first, thread = d->levels[i].op.event.thread, index = d->levels[i].index;
	int r = 0;

	d->n_sequence = 0;
	for (uint32_t j = i + 1; r >= 0 && j < d->n_levels; j++)
		if (j != race->second && dpor_clock(d, j)[thread] < index)
			r = add_item(d, j);
	return r < 0 ? r : add_item(d, SECOND);
}

/* The part whose levels include that one. */
static void find_part(struct sequence *s, uint32_t level)
{
	s->at = s->d;
	while (level < s->at->base) {
		s->beside = level + 1 == s->at->base;
		s->at = s->at->above;
	}
}

/* Is the sequence included in what was tried at the level? */
static bool sleeps(struct sequence *s, uint32_t level)
{
	const struct dpor *at = s->at;
	const struct dpor_level *l = &at->levels[level];

	for (size_t k = 0; k < at->n_sleepers && at->sleepers[k].from <= level; k++)
		if (level < at->sleepers[k].woken && begin_with(s, &at->sleepers[k].op, false))
			return true;
	for (uint32_t k = l->taken; k != DPOR_NONE; k = at->all->nodes[k].next)
		if (begin_with(s, &at->all->nodes[k].op, false))
			return true;
	if (l->open && !l->open->doubtful && begin_with(s, &l->open->levels[level].op, false))
		return true; /* it is under way, and will come out like that */
	return s->beside && l->seen && begin_with(s, &l->op, false);
}

/* How an operation that comes earlier now will come out is not known: as what depends on most. */
static struct dpor_op guess(const struct dpor_op *op)
{
	struct dpor_op g = *op;

	g.event.kind = (uint8_t)vtb_event_pending_kind(g.event.kind);
	g.world = false; /* if the run fails with it there, too, it does so with whatever it does not touch before it:
	                    that race is found then */
	return g;
}

/* The sequence as nodes, one below the other. */
static int make_chain(struct sequence *s, uint32_t *ret)
{
	struct dpor *d = s->d;
	uint32_t parent = DPOR_NONE;

	*ret = DPOR_NONE;
	for (size_t k = 0; k < d->n_sequence; k++) {
		const struct dpor_op op = *op_at(s, k);
		const int64_t id = vtb_dpor_take_node(d, &op);

		if (id < 0)
			return (int)id;
		*(parent == DPOR_NONE ? ret : &d->all->nodes[parent].child) = (uint32_t)id;
		parent = (uint32_t)id;
	}
	return 0;
}

void vtb_dpor_attach(struct dpor *d, uint32_t *at, uint32_t node)
{
	while (*at != DPOR_NONE)
		at = &d->all->nodes[*at].next;
	*at = node;
}

/* Down the first branch at each state that the sequence is compatible with, taking out what is on the way. False: the
 * tree includes it. */
static bool descend(struct sequence *s, uint32_t level, uint32_t *ret_parent)
{
	struct dpor *d = s->d;
	uint32_t child = s->at->levels[level].tree;

	*ret_parent = DPOR_NONE;
	while (child != DPOR_NONE && d->n_sequence) {
		if (!begin_with(s, &d->all->nodes[child].op, true)) {
			child = d->all->nodes[child].next;
			continue;
		}
		if (d->all->nodes[child].child == DPOR_NONE) /* whatever follows will be looked at */
			return false;
		*ret_parent = child;
		child = d->all->nodes[child].child;
	}
	return d->n_sequence > 0;
}

static int insert(struct sequence *s, uint32_t level)
{
	struct dpor *d = s->d;
	uint32_t parent, chain;
	int r;

	if (!descend(s, level, &parent))
		return 0;
	r = make_chain(s, &chain);
	vtb_dpor_attach(d, parent == DPOR_NONE ? &s->at->levels[level].tree : &d->all->nodes[parent].child, chain);
	return r;
}

/* ---- sequences that may not be possible, or whose last operation may come out otherwise */

static int copy_sequence(struct dpor *d)
{
	d->n_copy = 0;
	for (size_t k = 0; k < d->n_sequence; k++) {
		if (vtb_array_room(d, copy) < 0)
			return -ENOMEM;
		d->copy[d->n_copy++] = d->sequence[k]; /* nothing was taken out yet */
	}
	return 0;
}

static bool same_op(const struct vtb_event *a, const struct vtb_event *b)
{
	return a->thread == b->thread && a->kind == b->kind && a->var == b->var && a->addr == b->addr &&
	       a->size == b->size;
}

static bool is_chain(const struct sequence *s, uint32_t node)
{
	const struct dpor *d = s->d;
	size_t k = 0;

	for (; node != DPOR_NONE && k < d->n_sequence && same_op(&d->all->nodes[node].op.event, &op_at(s, k)->event);
	     node = d->all->nodes[node].child)
		k++;
	return node == DPOR_NONE && k == d->n_sequence;
}

static int insert_doubt(struct sequence *s, uint32_t level, bool known)
{
	struct dpor *d = s->d;
	uint32_t parent, chain;
	int r = copy_sequence(d);

	if (r < 0 || !descend(s, level, &parent))
		return r;
	d->n_sequence = s->from = 0;
	for (size_t k = 0; k < d->n_copy; k++)
		d->sequence[d->n_sequence++] = d->copy[k];
	for (uint32_t k = s->at->levels[level].doubts; k != DPOR_NONE; k = d->all->nodes[k].next)
		if (is_chain(s, k))
			return 0;
	r = make_chain(s, &chain);
	if (chain != DPOR_NONE)
		d->all->nodes[chain].cautious = !known;
	vtb_dpor_attach(d, &s->at->levels[level].doubts, chain);
	return r;
}

/* Something is under way there of which it is not known how it comes out: what could begin with it goes on behind it
 * when that is known, as sequences in doubt do. */
static bool in_doubt(const struct dpor_level *l)
{
	return l->open && l->open->doubtful;
}

int vtb_dpor_turn_round(struct dpor *d, const struct dpor_race *race, const struct dpor_op *second, bool pending)
{
	const bool same = vtb_dpor_outcome_sure(&d->levels[race->first].op, second, pending);
	struct sequence s = { .d = d, .second = same ? *second : guess(second) };
	int r = d->all->full ? 0 : fill(&s, race);

	find_part(&s, race->first);
	if (r < 0 || d->all->full || sleeps(&s, race->first))
		return r;
	d->all->full = d->all->used_nodes + d->n_sequence > d->all->max_nodes;
	if (d->all->full)
		return 0;
	return same && race->known && !in_doubt(&s.at->levels[race->first])
	           ? insert(&s, race->first)
	           : insert_doubt(&s, race->first, race->known);
}

int vtb_dpor_plan_thread(struct dpor *d, size_t level, uint32_t thread)
{
	const struct dpor_op op = { .event = { .thread = (uint16_t)thread, .var = VTB_NONE, .site = VTB_NONE },
		                    .world = true };
	int64_t id;

	for (uint32_t k = d->levels[level].tree; k != DPOR_NONE; k = d->all->nodes[k].next)
		if (d->all->nodes[k].op.event.thread == thread)
			return 0;
	id = vtb_dpor_take_node(d, &op);
	if (id < 0)
		return (int)id;
	d->all->nodes[id].next = d->levels[level].tree;
	d->levels[level].tree = (uint32_t)id;
	return 0;
}
