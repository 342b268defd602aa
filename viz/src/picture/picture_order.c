/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a schedule that has not run. Each operation has one; above it stands what its thread does before, and
 * what an arrow says to come first. Where that leaves a choice, the thread of the row above goes on.
 */
#include <errno.h>
#include <stdlib.h>

#include "picture.h"

struct ordering {
	struct picture *p;
	bool *placed;
	size_t *cells; /* in their new order */
	size_t n;
};

static bool is_before(const struct picture *p, size_t a, size_t b)
{
	const struct cell *x = &p->cells[a], *y = &p->cells[b];

	return x->kind == CELL_OPERATION && x->column == y->column && x->index < y->index;
}

/* May the operation of a cell come next? */
static bool is_free(const struct ordering *o, size_t cell)
{
	const struct picture *p = o->p;

	for (size_t i = 0; i < p->n_cells; i++)
		if (!o->placed[i] && is_before(p, i, cell))
			return false;
	for (size_t i = 0; i < p->n_arrows; i++)
		if (p->arrows[i].kind == ARROW_ORDER && p->arrows[i].to == cell && !o->placed[p->arrows[i].from])
			return false;
	return true;
}

/* An operation, and all that happens right behind it. */
static void place(struct ordering *o, size_t cell)
{
	o->placed[cell] = true;
	o->cells[o->n++] = cell;
	for (size_t i = 0; i < o->p->n_cells; i++)
		if (o->p->cells[i].after == cell && !o->placed[i])
			place(o, i);
}

/* The next operation; in a circle, which no run has, any. */
static size_t next_of(const struct ordering *o)
{
	const struct picture *p = o->p;
	const uint32_t column = o->n ? p->cells[o->cells[o->n - 1]].column : VTB_NONE;
	size_t any = SELECT_NO_EVENT, free = SELECT_NO_EVENT;

	for (size_t i = p->n_cells; i-- > 0;) {
		if (o->placed[i] || p->cells[i].after != SELECT_NO_EVENT)
			continue;
		any = i;
		if (is_free(o, i) &&
		    (free == SELECT_NO_EVENT || p->cells[free].column != column || p->cells[i].column == column))
			free = i;
	}
	return free != SELECT_NO_EVENT ? free : any;
}

static int apply(const struct ordering *o)
{
	struct picture *p = o->p;
	struct cell *cells = malloc((p->n_cells + 1) * sizeof(*cells));
	size_t *at = malloc((p->n_cells + 1) * sizeof(*at));

	for (size_t i = 0; cells && at && i < p->n_cells; i++) {
		at[o->cells[i]] = i;
		cells[i] = p->cells[o->cells[i]];
		cells[i].row = (uint32_t)i;
		cells[i].step = (uint32_t)i + 1;
	}
	for (size_t i = 0; cells && at && i < p->n_arrows; i++) {
		p->arrows[i].from = at[p->arrows[i].from];
		p->arrows[i].to = at[p->arrows[i].to];
	}
	for (size_t i = 0; cells && at && i < p->n_cells; i++) {
		p->cells[i] = cells[i];
		if (cells[i].after != SELECT_NO_EVENT)
			p->cells[i].after = at[cells[i].after];
	}
	free(cells);
	free(at);
	return cells && at ? 0 : -ENOMEM;
}

int picture_order(struct picture *p)
{
	struct ordering o = { .p = p,
		              .placed = calloc(p->n_cells + 1, sizeof(*o.placed)),
		              .cells = calloc(p->n_cells + 1, sizeof(*o.cells)) };
	int r = o.placed && o.cells ? 0 : -ENOMEM;

	while (r >= 0 && o.n < p->n_cells)
		place(&o, next_of(&o));
	if (r >= 0)
		r = apply(&o);
	free(o.placed);
	free(o.cells);
	return r;
}
