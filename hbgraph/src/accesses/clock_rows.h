/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks that share their counters. A clock is how many operations its owner has done, and a row of what it knows of
 * the others:
 *
 *   thread 3: 17 operations ──┐
 *   cell 8, write 3:16 ───────┼──► row: 5 2 0 - 9      held by three
 *   cell 9, write 3:12 ───────┘
 *
 * A row changes only while one alone holds it; else who learns something gets a row of its own. So a clock is left
 * behind, for whoever comes after, at the cost of a number.
 *
 * Shape:     a row is `len` counters; those behind them are 0. What a row says of its owner's own operations means
 *            nothing. Row 0 knows nothing and is always there.
 * Errors:    -ENOMEM; rows that are held stay as they are.
 */
#ifndef VTB_HBGRAPH_CLOCK_ROWS_H
#define VTB_HBGRAPH_CLOCK_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_ROW UINT32_MAX

struct row_head {
	uint32_t held; /* by how many; 0: free */
	uint32_t len;  /* a multiple of 4 */
	uint32_t next; /* of those that are free, or NO_ROW */
	uint32_t unused;
};

struct clock_rows {
	uint32_t *words; /* heads and counters, row by row */
	size_t n, cap;   /* rows */
	uint32_t stride; /* counters a row has room for, a multiple of 4 */
	uint32_t free;   /* the first, or NO_ROW */
};

/* An operation, and what it came after. */
struct clock {
	uint32_t thread, count; /* count 0: none */
	uint32_t row;
};

int clock_rows_init(struct clock_rows *r);
void clock_rows_fini(struct clock_rows *r);
/* Forget all rows, keep the memory. */
void clock_rows_clear(struct clock_rows *r);
/* Have room for `threads` counters in each row. O(rows) if there was none. */
int clock_rows_widen(struct clock_rows *r, uint32_t threads);
/* *ret, held once, knows nothing yet. */
int clock_rows_new(struct clock_rows *r, uint32_t *ret);
/* *row, which its holder gives up for what it then is, learns all that `other` knows. O(length of `other`). */
int clock_rows_join(struct clock_rows *r, uint32_t *row, uint32_t other);
/* *row likewise learns of an operation and of what that came after. */
int clock_rows_learn(struct clock_rows *r, uint32_t *row, const struct clock *of);
/* In a row that one alone holds. */
void clock_rows_set(struct clock_rows *r, uint32_t row, uint32_t thread, uint32_t count);

static inline struct row_head *clock_row_head(const struct clock_rows *r, uint32_t row)
{
	return (struct row_head *)(void *)(r->words + (size_t)row * (r->stride + sizeof(struct row_head) / 4));
}

static inline uint32_t *clock_row(const struct clock_rows *r, uint32_t row)
{
	return (uint32_t *)(void *)(clock_row_head(r, row) + 1);
}

static inline uint32_t clock_row_count(const struct clock_rows *r, uint32_t row, uint32_t thread)
{
	return thread < clock_row_head(r, row)->len ? clock_row(r, row)[thread] : 0;
}

static inline void clock_row_hold(struct clock_rows *r, uint32_t row)
{
	clock_row_head(r, row)->held++;
}

static inline void clock_row_drop(struct clock_rows *r, uint32_t row)
{
	struct row_head *head = clock_row_head(r, row);

	if (--head->held)
		return;
	head->next = r->free;
	r->free = row;
}

#endif /* VTB_HBGRAPH_CLOCK_ROWS_H */
