/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exit_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/symtab.h"

static void free_tries(struct exit_point *p)
{
	for (size_t i = 0; i < p->n_tries; i++) {
		free(p->tries[i].ops);
		free(p->tries[i].index);
	}
	free(p->tries);
	free(p->open);
}

void exit_tree_fini(struct exit_tree *tree)
{
	for (size_t i = 0; i < tree->n_points; i++)
		if (tree->points[i].live)
			free_tries(&tree->points[i]);
	for (size_t i = 0; i < EXIT_COSTS; i++)
		free(tree->by_cost[i].rows);
	free(tree->by_age.rows);
	free(tree->points);
	free(tree->unused);
}

static uint32_t lowest_open(const struct exit_point *p)
{
	for (uint32_t i = 0; i < p->stride; i++)
		if (p->open[i])
			return i * 64 + (uint32_t)__builtin_ctzll(p->open[i]);
	return VTB_NONE;
}

static bool has_more(const struct exit_point *p)
{
	const struct exit_try *last = p->n_tries ? &p->tries[p->n_tries - 1] : NULL;

	return (last && last->place < last->places) || lowest_open(p) != VTB_NONE;
}

/* Is another thread than the one that ran before this point tried here, although that one was? */
static uint32_t switch_cost(const struct exit_tree *tree, const struct exit_point *p, uint32_t try)
{
	const struct exit_point *before = p->parent == VTB_NONE ? NULL : &tree->points[p->parent];
	const uint32_t ran = before ? before->tries[p->via].thread : VTB_NONE;

	return p->tries[0].thread == ran && (try >= p->n_tries || p->tries[try].thread != ran);
}

static int64_t take_number(struct exit_tree *tree)
{
	if (tree->n_unused)
		return tree->unused[--tree->n_unused];
	if (vtb_array_room(tree, points) < 0)
		return -ENOMEM;
	tree->points[tree->n_points] = (struct exit_point){ 0 };
	return (int64_t)tree->n_points++;
}

int64_t exit_tree_point(struct exit_tree *tree, uint32_t parent, uint32_t via, const uint64_t *open, uint32_t stride)
{
	const int64_t id = take_number(tree);
	uint64_t *copy = calloc(stride, sizeof(*copy));
	struct exit_point *p;

	if (id < 0 || !copy) {
		free(copy);
		return -ENOMEM;
	}
	memcpy(copy, open, stride * sizeof(*copy));
	p = &tree->points[id];
	*p =
	    (struct exit_point){ .parent = parent, .via = via, .born = tree->n_born++, .open = copy, .stride = stride };
	p->live = true;
	if (parent != VTB_NONE) {
		tree->points[parent].below++;
		p->cost = tree->points[parent].cost + switch_cost(tree, &tree->points[parent], via);
	}
	return id;
}

static bool is_current(const struct exit_tree *tree, const struct exit_queued *row)
{
	return tree->points[row->point].live && tree->points[row->point].born == row->born;
}

/* Outdated rows stay at most as many as the points. */
static void sweep(const struct exit_tree *tree, struct exit_queue *q)
{
	size_t kept = 0;

	if (q->n_rows < 2 * (tree->n_points - tree->n_unused) + 64)
		return;
	for (size_t i = q->first; i < q->n_rows; i++)
		if (is_current(tree, &q->rows[i]))
			q->rows[kept++] = q->rows[i];
	q->n_rows = kept;
	q->first = 0;
}

static int add_row(const struct exit_tree *tree, struct exit_queue *q, uint32_t id, bool *in)
{
	if (*in)
		return 0;
	sweep(tree, q);
	if (vtb_array_room(q, rows) < 0)
		return -ENOMEM;
	q->rows[q->n_rows++] = (struct exit_queued){ id, tree->points[id].born };
	*in = true;
	return 0;
}

static int queue(struct exit_tree *tree, uint32_t id)
{
	struct exit_point *p = &tree->points[id];
	const uint32_t cost = p->cost + switch_cost(tree, p, VTB_NONE);
	const int r = add_row(tree, &tree->by_cost[cost < EXIT_COSTS ? cost : EXIT_COSTS - 1], id, &p->priced);

	return r < 0 ? r : add_row(tree, &tree->by_age, id, &p->aged);
}

static int copy_block(struct exit_try *to, const struct exit_try *from)
{
	*to = *from;
	to->ops = NULL;
	to->index = NULL;
	if (vtb_array_copy(from->ops, from->n_ops, sizeof(*from->ops), &to->ops) < 0 ||
	    vtb_array_copy(from->index, from->n_ops, sizeof(*from->index), &to->index) < 0) {
		free(to->ops);
		return -ENOMEM;
	}
	return 0;
}

int64_t exit_tree_try(struct exit_tree *tree, uint32_t point, const struct exit_try *one)
{
	struct exit_point *p = &tree->points[point];

	if (vtb_array_room(p, tries) < 0 || copy_block(&p->tries[p->n_tries], one) < 0)
		return -ENOMEM;
	p->n_tries++;
	if (has_more(p) && queue(tree, point) < 0)
		return -ENOMEM;
	return (int64_t)p->n_tries - 1;
}

void exit_tree_settle(struct exit_tree *tree, uint32_t leaf)
{
	while (leaf != VTB_NONE && !tree->points[leaf].below && !has_more(&tree->points[leaf])) {
		struct exit_point *p = &tree->points[leaf];
		const uint32_t parent = p->parent;

		if (vtb_array_room(tree, unused) < 0)
			return; /* it stays */
		free_tries(p);
		*p = (struct exit_point){ 0 };
		tree->unused[tree->n_unused++] = leaf;
		if (parent != VTB_NONE)
			tree->points[parent].below--;
		leaf = parent;
	}
}

/* The oldest row with something left, of by_age the newest; others are dropped. */
static uint32_t pop(struct exit_tree *tree, struct exit_queue *q)
{
	while (q->first < q->n_rows) {
		const struct exit_queued row = q->rows[q == &tree->by_age ? --q->n_rows : q->first++];
		struct exit_point *p = &tree->points[row.point];

		if (!is_current(tree, &row))
			continue;
		*(q == &tree->by_age ? &p->aged : &p->priced) = false;
		if (has_more(p))
			return row.point;
	}
	return VTB_NONE;
}

static uint32_t choose(struct exit_tree *tree)
{
	uint32_t id = VTB_NONE;

	if (tree->n_points - tree->n_unused > (tree->many ? tree->many : EXIT_POINTS_MANY))
		return pop(tree, &tree->by_age);
	for (size_t cost = 0; cost < EXIT_COSTS && id == VTB_NONE; cost++)
		id = pop(tree, &tree->by_cost[cost]);
	return id;
}

int64_t exit_tree_next(struct exit_tree *tree, bool delays, struct exit_try *ret)
{
	const uint32_t id = choose(tree);
	struct exit_point *p;
	struct exit_try *last;

	if (id == VTB_NONE)
		return VTB_NONE;
	p = &tree->points[id];
	last = &p->tries[p->n_tries - 1];
	if (last->place < last->places) {
		*ret = *last;
		ret->place++;
		ret->n_ops = 0;
		return id;
	}
	last->delays = delays && last->n_ops;
	*ret = (struct exit_try){ .thread = lowest_open(p) };
	p->open[ret->thread / 64] &= ~(1ull << ret->thread % 64);
	return id;
}
