/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of what is left at a state may begin, and what need not be tried any more. */
#include <errno.h>

#include "dpor.h"

/* Could the operation, as it comes out there, be the first of the chain? */
static bool chain_begins_with(const struct dpor *d, uint32_t node, const struct dpor_op *op)
{
	for (; node != DPOR_NONE && d->all->nodes[node].op.event.thread != op->event.thread;
	     node = d->all->nodes[node].child)
		if (vtb_dpor_dependent(&d->all->nodes[node].op, op))
			return false;
	return true;
}

/* The chain without the first operation of a thread: its first node, or DPOR_NONE. */
static uint32_t take_from_chain(struct dpor *d, uint32_t chain, uint32_t thread)
{
	uint32_t *at = &chain;

	while (*at != DPOR_NONE && d->all->nodes[*at].op.event.thread != thread)
		at = &d->all->nodes[*at].child;
	if (*at != DPOR_NONE) {
		const uint32_t node = *at;

		*at = d->all->nodes[node].child;
		vtb_dpor_free_node(d, node);
	}
	return chain;
}

void vtb_dpor_pass_doubts(struct dpor *d, size_t i)
{
	const struct dpor_op *op = &d->levels[i].op;
	uint32_t *doubts = i < d->base ? &d->above->levels[i].doubts : &d->levels[i].doubts, list = *doubts;

	*doubts = DPOR_NONE;
	while (list != DPOR_NONE) {
		uint32_t chain = list;

		list = d->all->nodes[chain].next;
		d->all->nodes[chain].next = DPOR_NONE;
		if (!chain_begins_with(d, chain, op)) {
			vtb_dpor_attach(d, doubts, chain);
			continue;
		}
		chain = take_from_chain(d, chain, op->event.thread);
		if (chain != DPOR_NONE)
			vtb_dpor_attach(d, &d->carried, chain);
	}
}

int vtb_dpor_note_taken(struct dpor *d, uint32_t level, const struct dpor_op *op)
{
	const int64_t id = vtb_dpor_take_node(d, op);

	if (id < 0)
		return (int)id;
	d->all->nodes[id].next = d->levels[level].taken;
	d->levels[level].taken = (uint32_t)id;
	return 0;
}

static bool chain_sleeps(const struct dpor *d, uint32_t chain, uint32_t level)
{
	const struct dpor_level *l = &d->levels[level];

	for (size_t k = 0; k < d->n_sleepers && d->sleepers[k].from <= level; k++)
		if (level < d->sleepers[k].woken && chain_begins_with(d, chain, &d->sleepers[k].op))
			return true;
	for (uint32_t k = l->taken; k != DPOR_NONE; k = d->all->nodes[k].next)
		if (chain_begins_with(d, chain, &d->all->nodes[k].op))
			return true;
	return l->seen && chain_begins_with(d, chain, &l->op);
}

/* Does `op` wake one that was begun there and is not done with? Of an operation without a kind nothing is known. */
static bool wakes(const struct dpor_op *begun, const struct dpor_op *op)
{
	return op->event.kind && vtb_dpor_dependent(begun, op);
}

bool vtb_dpor_wakes_all(const struct dpor *d, uint32_t level, const struct dpor_op *op)
{
	const struct dpor_level *l = &d->levels[level];

	if (l->seen && !wakes(&l->op, op))
		return false;
	for (uint32_t i = 0; l->parts && i < d->all->n_parts; i++) {
		const struct dpor *part = d->all->parts[i];

		if (part->above == d && part->base == level + 1 && part->state != DPOR_ENDED && !part->fresh &&
		    !wakes(&part->levels[level].op, op))
			return false;
	}
	return true;
}

/* The next doubtful sequence that may begin; on the way there those that need not be tried any more are dropped.
 * Whether one may begin is asked first: it takes less, and each round asks again of all. */
static uint32_t take_doubt(struct dpor *d, uint32_t level)
{
	for (uint32_t *at = &d->levels[level].doubts; *at != DPOR_NONE;) {
		const uint32_t chain = *at;

		if (!vtb_dpor_wakes_all(d, level, &d->all->nodes[chain].op)) {
			at = &d->all->nodes[chain].next;
			continue;
		}
		*at = d->all->nodes[chain].next;
		d->all->nodes[chain].next = DPOR_NONE;
		if (!chain_sleeps(d, chain, level))
			return chain;
		vtb_dpor_drop_tree(d, chain);
	}
	return DPOR_NONE;
}

int vtb_dpor_put_back(struct dpor *d, uint32_t level, const struct dpor_op *op, uint32_t path)
{
	const int64_t id = vtb_dpor_take_node(d, op);

	if (id < 0)
		return (int)id;
	d->all->nodes[id].child = path;
	vtb_dpor_attach(d, &d->levels[level].doubts, (uint32_t)id);
	return 0;
}

uint32_t vtb_dpor_take_next(struct dpor *d, uint32_t level, bool *ret_doubtful)
{
	struct dpor_level *l = &d->levels[level];
	const uint32_t node = l->tree;

	*ret_doubtful = node == DPOR_NONE;
	if (node == DPOR_NONE)
		return take_doubt(d, level);
	if (!vtb_dpor_wakes_all(d, level, &d->all->nodes[node].op))
		return DPOR_NONE;
	l->tree = d->all->nodes[node].next;
	return node;
}
