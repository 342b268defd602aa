/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has touched what: one cell for a byte range (shadow.h) or an object. It keeps the last write, and of each thread
 * the last read since. An access comes after that write, a write after those reads, too.
 *
 * What of these its thread did not know of is the *news* of an access. Of them only the last count, those that none of
 * the others comes after: they say where it stands among the operations of all threads, and do not depend on what was
 * noted here that is known anyway.
 */
#ifndef VTB_HBGRAPH_CELLS_H
#define VTB_HBGRAPH_CELLS_H

#include "class_hash.h"
#include "clock_rows.h"
#include "vtb/events.h"
#include "vtb/limits.h"

struct cell {
	struct clock write;
	struct clock read; /* of thread SEVERAL: `count` is the row of their counts, `row` all that they knew */
	uint32_t run;      /* that they are of; in all others nobody has touched it */
};
#define SEVERAL UINT32_MAX

/* Cells of byte ranges and of objects live in two tables of the same shape. */
struct cells {
	struct cell *cells;
	size_t n_cells, cap_cells;
};

/* The cell as it is in this run. */
static inline struct cell *cell_in(const struct cells *c, size_t i, uint32_t run)
{
	struct cell *x = &c->cells[i];

	if (x->run != run)
		*x = (struct cell){ .run = run };
	return x;
}

struct news {
	struct clock *sources; /* to learn from; of thread SEVERAL: as in struct cell */
	size_t n_sources, cap_sources;
};

/* Before the next event. */
static inline void news_clear(struct news *news)
{
	news->n_sources = 0;
}

/* One operation, or what several have read. 0 or -ENOMEM. */
int news_add(struct news *news, const struct clock *of);
/* O(threads). */
int news_add_reads(struct news *news, const struct clock_rows *r, const struct clock *reads,
                   const struct clock *thread);
/* Those that no other one comes after, added up: of a thread that has not learnt them yet. O(sources squared), of reads
 * by several threads O(threads) for each. */
sum128 news_names(const struct news *news, const struct clock_rows *r, const struct clock *thread);
/* The thread's row learns all of it. O(threads) for each. */
int news_learn(const struct news *news, struct clock_rows *r, struct clock *thread);
/* One more than one thread has read. O(threads). */
int cell_note_other_read(struct cell *c, struct clock_rows *r, const struct clock *thread);

static inline bool clock_knows(const struct clock_rows *r, const struct clock *thread, const struct clock *of)
{
	return of->thread == thread->thread || clock_row_count(r, thread->row, of->thread) >= of->count;
}

/* What an access with these flags (VTB_EV_*) comes after. */
static inline int cell_gather(const struct cell *c, const struct clock_rows *r, const struct clock *thread,
                              uint32_t flags, struct news *news)
{
	if (c->write.count && !clock_knows(r, thread, &c->write) && news_add(news, &c->write) < 0)
		return -1;
	if (!(flags & VTB_EV_WRITES) || !c->read.count)
		return 0;
	if (c->read.thread == SEVERAL)
		return news_add_reads(news, r, &c->read, thread);
	return clock_knows(r, thread, &c->read) ? 0 : news_add(news, &c->read);
}

/* *to, which may be none, becomes the thread's last operation. */
static inline void clock_set(struct clock *to, struct clock_rows *r, const struct clock *thread)
{
	if (!to->count || to->row != thread->row) {
		clock_row_hold(r, thread->row);
		if (to->count)
			clock_row_drop(r, to->row);
	}
	*to = *thread;
}

static inline void cell_note_write(struct cell *c, struct clock_rows *r, const struct clock *thread)
{
	clock_set(&c->write, r, thread);
	if (!c->read.count)
		return;
	clock_row_drop(r, c->read.row);
	if (c->read.thread == SEVERAL)
		clock_row_drop(r, c->read.count);
	c->read.count = 0;
}

static inline int cell_note_read(struct cell *c, struct clock_rows *r, const struct clock *thread)
{
	if (c->read.count && c->read.thread != thread->thread)
		return cell_note_other_read(c, r, thread);
	clock_set(&c->read, r, thread);
	return 0;
}

#endif /* VTB_HBGRAPH_CELLS_H */
