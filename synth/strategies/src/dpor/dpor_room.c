/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Room for a run: levels, rows of who can go on, clocks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dpor.h"

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
	    resize(&d->first_new, d->width, width, 0) < 0 || resize(&d->live, d->width, width, DPOR_NONE) < 0 ||
	    resize(&d->pending_clock, 0, width, 0) < 0)
		return -ENOMEM;
	d->width = width;
	return 0;
}

int vtb_dpor_room_for_run(struct dpor *d, const struct vtb_exec *x)
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

int vtb_dpor_make_room(struct dpor *d, const struct dpor *like)
{
	int r = like->stride > d->stride ? widen_rows(d, like->stride) : 0;

	if (r >= 0 && like->width > d->width)
		r = widen_clocks(d, like->width - 1);
	return r < 0 ? r : room_for_levels(d, like->n_levels);
}
