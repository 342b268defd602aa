/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clock_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_WORDS (sizeof(struct row_head) / sizeof(uint32_t))

/* Rows are a multiple of four counters long: four at a time, without asking how many are left. */
typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));

void clock_rows_fini(struct clock_rows *r)
{
	free(r->words);
	*r = (struct clock_rows){ 0 };
}

/* Rows of `stride` counters, `cap` of them; those there are move. */
static int lay_out(struct clock_rows *r, uint32_t stride, size_t cap)
{
	uint32_t *words = malloc(cap * (stride + HEAD_WORDS) * sizeof(*words));

	if (!words)
		return -ENOMEM;
	for (size_t i = 0; i < r->n; i++) {
		const struct row_head *head = clock_row_head(r, (uint32_t)i);

		memcpy(words + i * (stride + HEAD_WORDS), head, sizeof(*head) + head->len * sizeof(*words));
	}
	free(r->words);
	r->words = words;
	r->cap = cap;
	r->stride = stride;
	return 0;
}

int clock_rows_init(struct clock_rows *r)
{
	*r = (struct clock_rows){ 0 };
	if (lay_out(r, 4, 16) < 0)
		return -ENOMEM;
	clock_rows_clear(r);
	return 0;
}

void clock_rows_clear(struct clock_rows *r)
{
	r->n = 1;
	r->free = NO_ROW;
	*clock_row_head(r, 0) = (struct row_head){ .held = 1, .next = NO_ROW };
}

int clock_rows_widen(struct clock_rows *r, uint32_t threads)
{
	uint32_t stride = r->stride;

	while (stride < threads)
		stride *= 2;
	return stride == r->stride ? 0 : lay_out(r, stride, r->cap);
}

int clock_rows_new(struct clock_rows *r, uint32_t *ret)
{
	uint32_t row = r->free;

	if (row != NO_ROW) {
		r->free = clock_row_head(r, row)->next;
	} else {
		if (r->n >= NO_ROW || (r->n == r->cap && lay_out(r, r->stride, 2 * r->cap) < 0))
			return -ENOMEM;
		row = (uint32_t)r->n++;
	}
	*clock_row_head(r, row) = (struct row_head){ .held = 1, .next = NO_ROW };
	*ret = row;
	return 0;
}

static void reach(struct row_head *head, uint32_t *counts, uint32_t len)
{
	if (head->len >= len)
		return;
	memset(counts + head->len, 0, (len - head->len) * sizeof(*counts));
	head->len = len;
}

void clock_rows_set(struct clock_rows *r, uint32_t row, uint32_t thread, uint32_t count)
{
	uint32_t *counts = clock_row(r, row);

	reach(clock_row_head(r, row), counts, (thread | 3) + 1);
	counts[thread] = count;
}

static void join(uint32_t *to, const uint32_t *a, const uint32_t *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 4) {
		const four x = *(const four *)(a + i), y = *(const four *)(b + i), less = (four)(x < y);

		*(four *)(to + i) = (y & less) | (x & ~less);
	}
}

/* Two rows to a new one. */
static void join_apart(const struct clock_rows *r, uint32_t to, uint32_t a, uint32_t b)
{
	const uint32_t a_len = clock_row_head(r, a)->len, b_len = clock_row_head(r, b)->len;
	const uint32_t common = a_len < b_len ? a_len : b_len, len = a_len + b_len - common;
	uint32_t *counts = clock_row(r, to);

	join(counts, clock_row(r, a), clock_row(r, b), common);
	memcpy(counts + common, clock_row(r, a_len > b_len ? a : b) + common, (len - common) * sizeof(*counts));
	clock_row_head(r, to)->len = len;
}

int clock_rows_join(struct clock_rows *r, uint32_t *row, uint32_t other)
{
	const uint32_t len = clock_row_head(r, other)->len;
	uint32_t fresh;

	if (*row == other || !len)
		return 0;
	if (clock_row_head(r, *row)->held == 1) {
		reach(clock_row_head(r, *row), clock_row(r, *row), len);
		join(clock_row(r, *row), clock_row(r, *row), clock_row(r, other), len);
		return 0;
	}
	if (clock_rows_new(r, &fresh) < 0)
		return -ENOMEM;
	join_apart(r, fresh, *row, other);
	clock_row_drop(r, *row);
	*row = fresh;
	return 0;
}

/* *row is held by nobody else. */
static int own_row(struct clock_rows *r, uint32_t *row)
{
	uint32_t fresh;

	if (clock_row_head(r, *row)->held == 1)
		return 0;
	if (clock_rows_new(r, &fresh) < 0)
		return -ENOMEM;
	memcpy(clock_row(r, fresh), clock_row(r, *row), clock_row_head(r, *row)->len * sizeof(uint32_t));
	clock_row_head(r, fresh)->len = clock_row_head(r, *row)->len;
	clock_row_drop(r, *row);
	*row = fresh;
	return 0;
}

int clock_rows_learn(struct clock_rows *r, uint32_t *row, const struct clock *of)
{
	if (clock_rows_join(r, row, of->row) < 0 || own_row(r, row) < 0)
		return -ENOMEM;
	clock_rows_set(r, *row, of->thread, of->count);
	return 0;
}
