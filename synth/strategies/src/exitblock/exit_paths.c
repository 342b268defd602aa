/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exit_paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dpor/dpor.h"
#include "vtb/array.h"

#define NEVER UINT32_MAX

int exit_widen(struct exitblock *b, uint32_t stride)
{
	uint64_t *wider = calloc(b->cap_open / b->stride * stride + stride, sizeof(*wider));

	if (!wider)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_levels; i++)
		memcpy(wider + i * stride, exit_open_at(b, i), b->stride * sizeof(*wider));
	free(b->open);
	b->open = wider;
	b->cap_open = b->cap_open / b->stride * stride + stride;
	b->stride = stride;
	return 0;
}

const struct delayed *exit_delayed_at(const struct exitblock *b, size_t level, uint32_t thread)
{
	for (size_t k = 0; k < b->n_delayed; k++)
		if (b->delayed[k].thread == thread && b->delayed[k].from <= level && level < b->delayed[k].woken)
			return &b->delayed[k];
	return NULL;
}

/* ---- delaying */

static bool depends(const struct exitblock *b, const struct block_level *l, const struct delayed *d)
{
	for (uint32_t i = l->first; i < l->end; i++)
		for (uint32_t j = d->first; j < d->end; j++)
			if (vtb_dpor_dependent(&(struct dpor_op){ .event = b->ops[i] },
			                       &(struct dpor_op){ .event = b->blocks[j] }))
				return true;
	return false;
}

void exit_enable_again(struct exitblock *b, size_t level)
{
	const struct block_level *l = &b->levels[level];

	for (size_t k = 0; k < b->n_delayed; k++) {
		struct delayed *d = &b->delayed[k];

		if (d->from <= level && d->woken == NEVER && d->thread != l->thread && depends(b, l, d))
			d->woken = (uint32_t)level + 1;
	}
}

/* Who was tried at the point before try `k` is delayed from there on. */
static int delay_tried(struct exitblock *b, const struct exit_point *p, uint32_t k, size_t level)
{
	for (uint32_t i = 0; i < k; i++) {
		const struct exit_try *t = &p->tries[i];
		struct delayed d = {
			.thread = t->thread, .first = (uint32_t)b->n_blocks, .from = (uint32_t)level, .woken = NEVER
		};

		for (size_t j = 0; t->delays && j < t->n_ops; j++) {
			if (vtb_array_room(b, blocks) < 0)
				return -ENOMEM;
			b->blocks[b->n_blocks++] = t->ops[j];
		}
		d.end = (uint32_t)b->n_blocks;
		if (!t->delays)
			continue;
		if (vtb_array_room(b, delayed) < 0)
			return -ENOMEM;
		b->delayed[b->n_delayed++] = d;
	}
	return 0;
}

/* ---- the tree of runs */

static int append_block(struct exitblock *b, const struct exit_try *t)
{
	for (size_t i = 0; i < t->n_ops; i++) {
		if (vtb_array_room(b, ops) < 0 || vtb_array_room(b, index) < 0)
			return -ENOMEM;
		b->ops[b->n_ops++] = t->ops[i];
		b->index[b->n_index++] = t->index[i];
	}
	return 0;
}

static int append_level(struct exitblock *b, const struct exit_try *t)
{
	struct block_level l = { .first = (uint32_t)b->n_ops,
		                 .thread = t->thread,
		                 .place = t->place,
		                 .places = t->places,
		                 .signal = t->signal,
		                 .signal_var = t->signal_var };
	void *items = b->open;
	int r = append_block(b, t);

	l.end = (uint32_t)b->n_ops;
	if (r < 0 || vtb_array_room(b, levels) < 0 ||
	    vtb_array_reserve(&items, &b->cap_open, (b->n_levels + 1) * b->stride, sizeof(*b->open)) < 0)
		return -ENOMEM;
	b->open = items;
	b->levels[b->n_levels++] = l;
	return 0;
}

static int find_path(struct exitblock *b, uint32_t point)
{
	b->n_path = 0;
	for (uint32_t p = point; p != VTB_NONE; p = b->tree.points[p].parent) {
		if (vtb_array_room(b, path) < 0)
			return -ENOMEM;
		b->path[b->n_path++] = p;
	}
	for (size_t i = 0, k = b->n_path; i + 1 < k; i++) {
		const uint32_t swapped = b->path[i];

		b->path[i] = b->path[--k];
		b->path[k] = swapped;
	}
	return 0;
}

int exit_go_to(struct exitblock *b, uint32_t point, const struct exit_try *try)
{
	int r = find_path(b, point);

	b->n_levels = b->n_ops = b->n_index = b->n_delayed = b->n_blocks = 0;
	for (size_t i = 0; r >= 0 && i < b->n_path; i++) {
		const struct exit_point *p = &b->tree.points[b->path[i]];
		const bool last = i + 1 == b->n_path;
		const uint32_t k = last ? (uint32_t)p->n_tries : b->tree.points[b->path[i + 1]].via;

		r = delay_tried(b, p, k, i);
		if (r >= 0)
			r = append_level(b, last ? try : &p->tries[k]);
		if (r >= 0 && !last)
			exit_enable_again(b, i);
	}
	return r;
}

static struct exit_try try_of(const struct exitblock *b, const struct block_level *l)
{
	return (struct exit_try){ .thread = l->thread,
		                  .place = l->place,
		                  .places = l->places,
		                  .signal = l->signal,
		                  .signal_var = l->signal_var,
		                  .ops = b->ops + l->first,
		                  .index = b->index + l->first,
		                  .n_ops = l->end - l->first };
}

int exit_keep_run(struct exitblock *b, size_t kept)
{
	int64_t via = 0, id;

	b->tried_at = VTB_NONE;
	b->n_path = kept;
	for (size_t i = kept ? kept - 1 : 0; i < b->n_levels; i++) {
		const struct exit_try try = try_of(b, &b->levels[i]);

		if (i >= kept) {
			id = exit_tree_point(&b->tree, i ? b->path[i - 1] : VTB_NONE, (uint32_t)via, exit_open_at(b, i),
			                     b->stride);
			if (id < 0 || vtb_array_room(b, path) < 0)
				return -ENOMEM;
			b->path[b->n_path++] = (uint32_t)id;
		}
		via = exit_tree_try(&b->tree, b->path[i], &try);
		if (via < 0)
			return (int)via;
	}
	if (b->n_path)
		exit_tree_settle(&b->tree, b->path[b->n_path - 1]);
	return 0;
}

int exit_give_up_run(struct exitblock *b)
{
	struct block_level *l = b->n_levels ? &b->levels[b->n_levels - 1] : NULL;

	if (b->tried_at == VTB_NONE)
		return 0;
	b->n_ops = b->n_index = l->end = l->first;
	return exit_keep_run(b, b->n_levels);
}
