/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blocks.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"

void blocks_init(struct blocks *b)
{
	*b = (struct blocks){ .root = NO_BLOCK, .last = NO_BLOCK, .seed = 2463534242u };
}

void blocks_fini(struct blocks *b)
{
	free(b->items);
	blocks_init(b);
}

void blocks_clear(struct blocks *b)
{
	b->n_items = 0; /* they stay where they are: see is_known() */
	b->root = b->last = NO_BLOCK;
}

/* Marsaglia's xorshift: tree shapes need no more. */
static uint32_t next_priority(struct blocks *b)
{
	b->seed ^= b->seed << 13;
	b->seed ^= b->seed >> 17;
	b->seed ^= b->seed << 5;
	return b->seed;
}

/* Split `tree` into ranges that begin below addr and those that do not. Iterative: *low and *high are the empty links
 * where the next part goes. */
static void split(struct blocks *b, uint32_t tree, uint64_t addr, uint32_t *ret_low, uint32_t *ret_high)
{
	uint32_t *low = ret_low, *high = ret_high;

	while (tree != NO_BLOCK) {
		struct block *x = &b->items[tree];

		if (x->lo < addr) {
			*low = tree;
			low = &x->right;
			tree = x->right;
		} else {
			*high = tree;
			high = &x->left;
			tree = x->left;
		}
	}
	*low = *high = NO_BLOCK;
}

/* All of `low` lies below all of `high`. */
static uint32_t join(struct blocks *b, uint32_t low, uint32_t high)
{
	uint32_t root = NO_BLOCK, *link = &root;

	while (low != NO_BLOCK && high != NO_BLOCK) {
		if (b->items[low].priority >= b->items[high].priority) {
			*link = low;
			link = &b->items[low].right;
			low = *link;
		} else {
			*link = high;
			link = &b->items[high].left;
			high = *link;
		}
	}
	*link = low != NO_BLOCK ? low : high;
	return root;
}

static uint32_t find(const struct blocks *b, uint64_t addr)
{
	uint32_t at = b->root, best = NO_BLOCK;

	while (at != NO_BLOCK) { /* the last that begins at or below addr */
		const struct block *x = &b->items[at];

		if (x->lo <= addr) {
			best = at;
			at = x->right;
		} else {
			at = x->left;
		}
	}
	return best;
}

/* Where the tree has this one. */
static uint32_t *link_of(struct blocks *b, uint32_t index)
{
	const uint64_t lo = b->items[index].lo;
	uint32_t *link = &b->root;

	while (*link != index)
		link = lo < b->items[*link].lo ? &b->items[*link].left : &b->items[*link].right;
	return link;
}

/* It is out of the tree; addresses remembered with its generation are void. */
static void give_way(struct blocks *b, uint32_t index)
{
	b->items[index].generation = 0;
	if (b->last == index)
		b->last = NO_BLOCK;
}

static void cut(struct blocks *b, uint32_t index)
{
	*link_of(b, index) = join(b, b->items[index].left, b->items[index].right);
	give_way(b, index);
}

/* Memory is handed out again, by far the most: in the place of the one that began where it begins. */
static void replace(struct blocks *b, uint32_t old, uint32_t index)
{
	const struct block *was = &b->items[old];
	struct block *x = &b->items[index];

	x->left = was->left;
	x->right = was->right;
	x->priority = was->priority;
	*link_of(b, old) = index;
	give_way(b, old);
}

static void insert(struct blocks *b, uint32_t index)
{
	struct block *x = &b->items[index];
	uint32_t *link = &b->root;

	while (*link != NO_BLOCK && b->items[*link].priority >= x->priority)
		link = x->lo < b->items[*link].lo ? &b->items[*link].left : &b->items[*link].right;
	split(b, *link, x->lo, &x->left, &x->right);
	*link = index;
}

/* Runs of one program begin alike, and what they make before threads meet lies where it lay. */
static bool is_known(const struct blocks *b, uint32_t index, const struct block *x, uint64_t hi)
{
	const struct block *y = &b->items[index];

	return index < b->n_before && y->lo == x->lo && y->hi == hi && y->kind == x->kind && y->thread == x->thread &&
	       y->type == x->type && y->count == x->count && y->pc == x->pc && y->sp == x->sp && y->cfa == x->cfa;
}

static void enter(struct blocks *b, uint32_t index, const struct block *x, uint64_t hi)
{
	struct block *to = &b->items[index];
	const bool known = is_known(b, index, x, hi);
	const uint32_t object = known ? to->object : x->object;
	const uint64_t born = known ? to->born : b->generation + 1;

	b->generation++; /* something has changed, whatever it is */
	*to = *x;
	to->hi = hi;
	to->object = object;
	to->generation = to->born = born;
	to->priority = next_priority(b);
	to->left = to->right = NO_BLOCK;
	if (b->n_before <= index)
		b->n_before = index + 1;
}

int64_t blocks_add(struct blocks *b, const struct block *x)
{
	uint32_t old;
	const uint64_t hi = x->hi > x->lo ? x->hi : x->lo + 1;

	if (b->n_items >= NO_BLOCK || vtb_array_room(b, items) < 0)
		return -ENOMEM;
	while ((old = find(b, hi - 1)) != NO_BLOCK && b->items[old].hi > x->lo && b->items[old].lo != x->lo)
		cut(b, old);
	const uint32_t index = (uint32_t)b->n_items++;

	enter(b, index, x, hi);
	if (old != NO_BLOCK && b->items[old].lo == x->lo)
		replace(b, old, index);
	else
		insert(b, index);
	b->last = index;
	return index;
}

struct block *blocks_at(struct blocks *b, uint64_t addr)
{
	uint32_t at = b->last;

	if (at == NO_BLOCK || addr - b->items[at].lo >= b->items[at].hi - b->items[at].lo)
		at = find(b, addr);
	if (at == NO_BLOCK || addr >= b->items[at].hi)
		return NULL;
	b->last = at;
	return &b->items[at];
}
