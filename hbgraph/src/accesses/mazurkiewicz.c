/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event costs what it learns: most find that their thread knows of all that they come after, and leave behind no
 * more than their number (clock_rows.h). Only what is news is joined, and hashed by the operations that it is.
 */
#include "vtb/mazurkiewicz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "location.h"
#include "shadow.h"
#include "vtb/array.h"

struct thread {
	struct clock clock; /* its last operation */
	sum128 step;        /* what one more adds to the sum; 0: not yet known */
};

#define VARS_MAX (1u << 16) /* ids are small and dense; larger ones are looked up */

struct vtb_mazurkiewicz {
	const struct vtb_symtab *tab;
	sum128 sum;
	struct thread *threads; /* by id; the first n_seen are of this execution */
	size_t n_threads, cap_threads;
	uint32_t n_seen;
	struct clock_rows rows;
	struct news news;
	struct shadow shadow;
	uint32_t *vars; /* by id, as far as they go: the cell of its object + 1, or 0; see object_cell() */
	size_t n_vars, cap_vars;
	struct vtb_map64 by_var; /* ids from VARS_MAX on */
	uint32_t run;
	struct cells ranges, objects;
};

int vtb_mazurkiewicz_new(const struct vtb_symtab *tab, struct vtb_mazurkiewicz **ret)
{
	struct vtb_mazurkiewicz *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->tab = tab;
	m->run = 1;
	if (clock_rows_init(&m->rows) < 0) {
		free(m);
		return -ENOMEM;
	}
	*ret = m;
	return 0;
}

void vtb_mazurkiewicz_free(struct vtb_mazurkiewicz *m)
{
	if (!m)
		return;
	free(m->threads);
	free(m->news.sources);
	clock_rows_fini(&m->rows);
	shadow_fini(&m->shadow);
	free(m->vars);
	vtb_map64_fini(&m->by_var);
	free(m->ranges.cells);
	free(m->objects.cells);
	free(m);
}

static void forget_runs(struct cells *c)
{
	for (size_t i = 0; i < c->n_cells; i++)
		c->cells[i].run = 0;
}

void vtb_mazurkiewicz_begin(struct vtb_mazurkiewicz *m)
{
	m->sum = 0;
	m->n_seen = 0;
	clock_rows_clear(&m->rows);
	shadow_clear(&m->shadow);
	if (++m->run == 0) { /* wrapped: old runs would look like this one */
		forget_runs(&m->ranges);
		forget_runs(&m->objects);
		m->run = 1;
	}
}

static int add_threads(struct vtb_mazurkiewicz *m, uint32_t n)
{
	if (clock_rows_widen(&m->rows, n) < 0)
		return -ENOMEM;
	while (m->n_threads < n) {
		if (vtb_array_room(m, threads) < 0)
			return -ENOMEM;
		m->threads[m->n_threads] = (struct thread){ .step = hash_step((uint32_t)m->n_threads) };
		m->n_threads++;
	}
	return 0;
}

/* Threads up to this one have done nothing yet in this execution. */
static int see_threads(struct vtb_mazurkiewicz *m, uint32_t thread)
{
	if (thread >= m->n_threads && add_threads(m, thread + 1) < 0)
		return -ENOMEM;
	for (; m->n_seen <= thread; m->n_seen++) {
		m->threads[m->n_seen].clock = (struct clock){ .thread = m->n_seen };
		clock_row_hold(&m->rows, 0);
	}
	return 0;
}

static inline int reach_thread(struct vtb_mazurkiewicz *m, uint32_t thread)
{
	return thread < m->n_seen ? 0 : see_threads(m, thread);
}

static int add_cells(struct cells *c, size_t n)
{
	while (c->n_cells < n) {
		if (vtb_array_room(c, cells) < 0)
			return -ENOMEM;
		c->cells[c->n_cells++] = (struct cell){ 0 };
	}
	return 0;
}

/* Cells [0, n) exist; nobody has touched new ones. */
static inline int reach_cells(struct cells *c, size_t n)
{
	return c->n_cells < n ? add_cells(c, n) : 0;
}

/* ---- what an event touches: first everything it learns, then what it leaves behind */

struct touch {
	int64_t object, mutex; /* cells of objects, or -1 */
	uint32_t object_flags;
	bool range; /* shadow.own and shadow.met are filled in */
	uint32_t range_flags;
};

static int far_object_cell(struct vtb_mazurkiewicz *m, uint32_t var, int64_t *ret)
{
	const uint64_t *at = vtb_map64_put(&m->by_var, var, (uint32_t)m->objects.n_cells);

	if (!at)
		return -ENOMEM;
	*ret = *at;
	return reach_cells(&m->objects, *at + 1u);
}

static int new_object_cell(struct vtb_mazurkiewicz *m, uint32_t var, int64_t *ret)
{
	if (var >= VARS_MAX)
		return far_object_cell(m, var, ret);
	if (vtb_array_extend(m, vars, var + 1u, 0) < 0 || reach_cells(&m->objects, m->objects.n_cells + 1) < 0)
		return -ENOMEM;
	m->vars[var] = (uint32_t)m->objects.n_cells;
	*ret = m->vars[var] - 1;
	return 0;
}

static inline int object_cell(struct vtb_mazurkiewicz *m, uint32_t var, int64_t *ret)
{
	if (var >= m->n_vars || !m->vars[var])
		return new_object_cell(m, var, ret);
	*ret = m->vars[var] - 1;
	return 0;
}

static bool waits_with_mutex(const struct vtb_event *e)
{
	return (e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE) && e->aux != VTB_NONE;
}

static int find_objects(struct vtb_mazurkiewicz *m, const struct vtb_event *e, const struct vtb_event_info *info,
                        struct touch *touch)
{
	touch->object_flags = info->flags & (VTB_EV_READS | VTB_EV_WRITES);
	if (e->kind == VTB_E_THREAD_BEGIN) /* it reads what its creation wrote */
		touch->object_flags = VTB_EV_READS;
	if (is_data(info) || e->kind == VTB_E_FREE || info->family == VTB_FAMILY_RUN)
		return 0;
	if (touch->object_flags && e->var != VTB_NONE && object_cell(m, e->var, &touch->object) < 0)
		return -ENOMEM;
	return waits_with_mutex(e) ? object_cell(m, e->aux, &touch->mutex) : 0;
}

static int find_range(struct vtb_mazurkiewicz *m, const struct vtb_event *e, const struct vtb_event_info *info,
                      struct touch *touch)
{
	struct location at;

	touch->range_flags = info->flags & (VTB_EV_READS | VTB_EV_WRITES);
	if (!touch->range_flags || !location_of(e, info, m->tab, NULL, &at))
		return 0;
	if (shadow_access(&m->shadow, at.addr, at.size) < 0)
		return -ENOMEM;
	touch->range = true;
	return reach_cells(&m->ranges, m->shadow.n_cells);
}

/* ---- what it comes after, and what it leaves behind */

static int gather(struct vtb_mazurkiewicz *m, const struct clock *thread, const struct touch *touch)
{
	int r = 0;

	news_clear(&m->news);
	if (touch->object >= 0)
		r = cell_gather(cell_in(&m->objects, (size_t)touch->object, m->run), &m->rows, thread,
		                touch->object_flags, &m->news);
	if (r == 0 && touch->mutex >= 0)
		r = cell_gather(cell_in(&m->objects, (size_t)touch->mutex, m->run), &m->rows, thread, VTB_EV_WRITES,
		                &m->news);
	for (size_t i = 0; r == 0 && touch->range && i < m->shadow.n_own; i++)
		r = cell_gather(cell_in(&m->ranges, m->shadow.own[i], m->run), &m->rows, thread, touch->range_flags,
		                &m->news);
	for (size_t i = 0; r == 0 && touch->range && i < m->shadow.n_met; i++)
		r = cell_gather(cell_in(&m->ranges, m->shadow.met[i], m->run), &m->rows, thread, touch->range_flags,
		                &m->news);
	return r;
}

static inline int note_cell(struct vtb_mazurkiewicz *m, struct cell *c, const struct clock *thread, uint32_t flags)
{
	if (!(flags & VTB_EV_WRITES))
		return cell_note_read(c, &m->rows, thread);
	cell_note_write(c, &m->rows, thread);
	return 0;
}

static int note(struct vtb_mazurkiewicz *m, const struct clock *thread, const struct touch *touch)
{
	int r = 0;

	if (touch->object >= 0)
		r = note_cell(m, &m->objects.cells[touch->object], thread, touch->object_flags);
	if (touch->mutex >= 0)
		cell_note_write(&m->objects.cells[touch->mutex], &m->rows, thread);
	for (size_t i = 0; r == 0 && touch->range && i < m->shadow.n_own; i++)
		r = note_cell(m, &m->ranges.cells[m->shadow.own[i]], thread, touch->range_flags);
	return r;
}

/* Out of registers: read back as a whole, what was stored by halves would have to wait until it is in the cache. */
static struct vtb_hash128 halves(sum128 sum)
{
	return (struct vtb_hash128){ .lo = (uint64_t)sum, .hi = (uint64_t)(sum >> 64) };
}

static bool is_access(const struct vtb_event *e)
{
	return e->kind == VTB_E_READ || e->kind == VTB_E_WRITE;
}

static bool is_exact(const struct vtb_event *e)
{
	return e->addr && !(e->flags & (VTB_EVF_ADDR_SYMBOLIC | VTB_EVF_ADDR_UNKNOWN));
}

/* May it be passed over? */
static bool is_plain(const struct vtb_event *e)
{
	return (e->kind <= VTB_E_ATOMIC_CAS_FAIL || e->kind == VTB_E_FREE) && !e->deviation;
}

/* It stands where its number says, and is what its thread's past makes it. */
static inline void add_step(struct vtb_mazurkiewicz *m, struct thread *thread)
{
	thread->clock.count++;
	m->sum += thread->step;
}

/* Is it of the one cell that lies there, and no news? Then it is noted: 1. */
static int note_known(struct vtb_mazurkiewicz *m, const struct vtb_event *e)
{
	struct thread *thread = &m->threads[e->thread];
	struct cell *c = cell_in(&m->ranges, m->shadow.own[0], m->run);

	if (m->shadow.n_own != 1 || m->shadow.n_met ||
	    (c->write.count && !clock_knows(&m->rows, &thread->clock, &c->write)))
		return 0;
	if (e->kind == VTB_E_READ) {
		add_step(m, thread);
		return cell_note_read(c, &m->rows, &thread->clock) < 0 ? -ENOMEM : 1;
	}
	if (c->read.count && (c->read.thread == SEVERAL || !clock_knows(&m->rows, &thread->clock, &c->read)))
		return 0;
	add_step(m, thread);
	cell_note_write(c, &m->rows, &thread->clock);
	return 1;
}

static int feed_touch(struct vtb_mazurkiewicz *m, const struct vtb_event *e, const struct touch *touch)
{
	struct thread *thread = &m->threads[e->thread];
	sum128 names = 0;

	if (gather(m, &thread->clock, touch) < 0)
		return -ENOMEM;
	if (m->news.n_sources) {
		names = news_names(&m->news, &m->rows, &thread->clock);
		if (news_learn(&m->news, &m->rows, &thread->clock) < 0)
			return -ENOMEM;
	}
	add_step(m, thread);
	if (note(m, &thread->clock, touch) < 0)
		return -ENOMEM;
	if (m->news.n_sources || !is_plain(e))
		m->sum += hash_event(e, thread->clock.count, names);
	return 0;
}

/* By far the most: plain accesses with an address. */
static int feed_access(struct vtb_mazurkiewicz *m, const struct vtb_event *e)
{
	const struct touch touch = { .object = -1,
		                     .mutex = -1,
		                     .range = true,
		                     .range_flags = e->kind == VTB_E_READ ? VTB_EV_READS : VTB_EV_WRITES };
	int r;

	if (shadow_access(&m->shadow, e->addr, e->size) < 0 || reach_cells(&m->ranges, m->shadow.n_cells) < 0)
		return -ENOMEM;
	r = note_known(m, e);
	return r < 0 ? r : r > 0 ? 0 : feed_touch(m, e, &touch);
}

static int feed(struct vtb_mazurkiewicz *m, const struct vtb_event *e, const struct vtb_event_info *info)
{
	struct touch touch = { .object = -1, .mutex = -1 };

	if (reach_thread(m, e->thread) < 0)
		return -ENOMEM;
	if (is_access(e) && is_exact(e) && !e->deviation)
		return feed_access(m, e);
	if (find_objects(m, e, info, &touch) < 0 || find_range(m, e, info, &touch) < 0)
		return -ENOMEM;
	return feed_touch(m, e, &touch);
}

/* So many accesses of the thread, to what nobody else touches. */
static int pass_over(struct vtb_mazurkiewicz *m, const struct vtb_event *e)
{
	if (reach_thread(m, e->thread) < 0)
		return -ENOMEM;
	m->threads[e->thread].clock.count += (uint32_t)e->value;
	m->sum += m->threads[e->thread].step * e->value;
	return 0;
}

int vtb_mazurkiewicz_feed(struct vtb_mazurkiewicz *m, const struct vtb_event *e, struct vtb_hash128 *ret)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);
	int r = 0;

	if (info && info->flags & VTB_EV_VISIBLE)
		r = feed(m, e, info);
	else if (e->kind == VTB_E_OWNED)
		r = pass_over(m, e);
	if (r >= 0 && ret)
		*ret = halves(m->sum);
	return r;
}

struct vtb_hash128 vtb_mazurkiewicz_fingerprint(const struct vtb_mazurkiewicz *m)
{
	return halves(m->sum);
}

uint32_t vtb_mazurkiewicz_knows(const struct vtb_mazurkiewicz *m, uint32_t thread, uint32_t other)
{
	const struct clock *clock = thread < m->n_seen ? &m->threads[thread].clock : NULL;

	if (!clock)
		return 0;
	return other == thread ? clock->count : clock_row_count(&m->rows, clock->row, other);
}

int vtb_mazurkiewicz_of(const struct vtb_event *events, size_t n, const struct vtb_symtab *tab, struct vtb_hash128 *ret)
{
	struct vtb_mazurkiewicz *m;
	int r = vtb_mazurkiewicz_new(tab, &m);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n && r >= 0; i++)
		r = vtb_mazurkiewicz_feed(m, &events[i], NULL);
	if (r >= 0)
		*ret = halves(m->sum);
	vtb_mazurkiewicz_free(m);
	return r;
}
