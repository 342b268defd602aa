/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cells.h"

#include <errno.h>

#include "vtb/array.h"

int news_add(struct news *news, const struct clock *of)
{
	if (vtb_array_room(news, sources) < 0)
		return -ENOMEM;
	news->sources[news->n_sources++] = *of;
	return 0;
}

int news_add_reads(struct news *news, const struct clock_rows *r, const struct clock *reads, const struct clock *thread)
{
	const uint32_t n = clock_row_head(r, reads->count)->len, *counts = clock_row(r, reads->count);

	for (uint32_t i = 0; i < n; i++)
		if (i != thread->thread && counts[i] > clock_row_count(r, thread->row, i))
			return news_add(news, reads);
	return 0;
}

/* ---- names: of the last operations, those that no other source knows of */

/* The last operation of the thread that the source itself is; 0: none. */
static uint32_t count_in(const struct clock_rows *r, const struct clock *source, uint32_t thread)
{
	if (source->thread == SEVERAL)
		return clock_row_count(r, source->count, thread);
	return source->thread == thread ? source->count : 0;
}

/* What readers have known of their own operations is less than their reads: so they may be among those asked. */
static bool knows_of(const struct clock_rows *r, const struct clock *source, uint32_t thread, uint32_t count)
{
	return source->thread != thread && clock_row_count(r, source->row, thread) >= count;
}

static bool is_named(const struct news *news, const struct clock_rows *r, size_t by, uint32_t thread, uint32_t count)
{
	for (size_t i = 0; i < news->n_sources; i++) {
		const uint32_t in = count_in(r, &news->sources[i], thread);

		if (in > count || (in == count && i < by) || knows_of(r, &news->sources[i], thread, count))
			return false;
	}
	return true;
}

static sum128 names_of_reads(const struct news *news, const struct clock_rows *r, size_t by, const struct clock *thread)
{
	const uint32_t row = news->sources[by].count, n = clock_row_head(r, row)->len, *counts = clock_row(r, row);
	sum128 sum = 0;

	for (uint32_t i = 0; i < n; i++)
		if (i != thread->thread && counts[i] > clock_row_count(r, thread->row, i) &&
		    is_named(news, r, by, i, counts[i]))
			sum += hash_operation(i, counts[i]);
	return sum;
}

sum128 news_names(const struct news *news, const struct clock_rows *r, const struct clock *thread)
{
	sum128 sum = 0;

	for (size_t i = 0; i < news->n_sources; i++) {
		const struct clock *of = &news->sources[i];

		if (of->thread == SEVERAL)
			sum += names_of_reads(news, r, i, thread);
		else if (news->n_sources == 1 || is_named(news, r, i, of->thread, of->count))
			sum += hash_operation(of->thread, of->count);
	}
	return sum;
}

/* ---- learning */

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
