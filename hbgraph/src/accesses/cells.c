/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cells.h"

#include <errno.h>

#include "vtb/array.h"

int news_add(struct news *news, const struct clock *of)
{
	if (vtb_array_room(news, sources) < 0)
		return -ENOMEM;
	news->sources[news->n_sources++] = *of;
	news->names += hash_operation(of->thread, of->count);
	return 0;
}

int news_add_reads(struct news *news, const struct clock_rows *r, const struct clock *reads, const struct clock *thread)
{
	const uint32_t n = clock_row_head(r, reads->count)->len, *counts = clock_row(r, reads->count);
	bool any = false;

	for (uint32_t i = 0; i < n; i++) {
		if (i == thread->thread || counts[i] <= clock_row_count(r, thread->row, i))
			continue;
		news->names += hash_operation(i, counts[i]);
		any = true;
	}
	if (!any)
		return 0;
	if (vtb_array_room(news, sources) < 0)
		return -ENOMEM;
	news->sources[news->n_sources++] = *reads;
	return 0;
}

int news_learn(const struct news *news, struct clock_rows *r, struct clock *thread)
{
	for (size_t i = 0; i < news->n_sources; i++) {
		const struct clock *of = &news->sources[i];

		if (of->thread == SEVERAL) {
			if (clock_rows_join(r, &thread->row, of->count) < 0 ||
			    clock_rows_join(r, &thread->row, of->row) < 0)
				return -ENOMEM;
		} else if (!clock_knows(r, thread, of) && clock_rows_learn(r, &thread->row, of) < 0) {
			return -ENOMEM;
		}
	}
	return 0;
}

/* What was one reader's. */
static int make_room_for_several(struct cell *c, struct clock_rows *r)
{
	uint32_t counts;

	if (clock_rows_new(r, &counts) < 0)
		return -ENOMEM;
	clock_rows_set(r, counts, c->read.thread, c->read.count);
	c->read.thread = SEVERAL;
	c->read.count = counts;
	return 0;
}

int cell_note_other_read(struct cell *c, struct clock_rows *r, const struct clock *thread)
{
	if (c->read.thread != SEVERAL && make_room_for_several(c, r) < 0)
		return -ENOMEM;
	clock_rows_set(r, c->read.count, thread->thread, thread->count);
	return clock_rows_join(r, &c->read.row, thread->row);
}
