/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks are rows of `stride` counters. One row a thread; two rows a cell, where a cell is a byte range (shadow.h) or
 * an object: `written`, the clock of its last write, which depends on all accesses before it, and `read`, the join of
 * the reads since. An access learns from `written`, a write from `read` too.
 *
 * Most accesses find that they know already what they would learn: the cell also keeps which event wrote last (thread
 * and number), and who knows an event knows its whole clock.
 */
#include "vtb/mazurkiewicz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock_rows.h"
#include "location.h"
#include "vtb/array.h"

int vtb_mazurkiewicz_new(const struct vtb_symtab *tab, struct vtb_mazurkiewicz **ret)
{
	struct vtb_mazurkiewicz *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->tab = tab;
	m->run = 1;
	*ret = m;
	return 0;
}

static void cells_fini(struct cells *c)
{
	free(c->cells);
	free(c->rows);
}

void vtb_mazurkiewicz_free(struct vtb_mazurkiewicz *m)
{
	if (!m)
		return;
	free(m->threads);
	free(m->scratch);
	shadow_fini(&m->shadow);
	free(m->vars);
	vtb_map64_fini(&m->by_var);
	cells_fini(&m->ranges);
	cells_fini(&m->objects);
	free(m);
}

void vtb_mazurkiewicz_begin(struct vtb_mazurkiewicz *m)
{
	m->sum = 0;
	for (uint32_t t = 0; t < m->n_threads; t++)
		memset(m->threads + (size_t)t * m->stride, 0, m->n_threads * sizeof(*m->threads));
	m->n_threads = 0;
	shadow_clear(&m->shadow);
	vtb_map64_clear(&m->by_var);
	if (++m->run == 0) { /* wrapped: old runs would look like this one */
		memset(m->vars, 0, m->n_vars * sizeof(*m->vars));
		m->run = 1;
	}
	m->ranges.n_cells = m->ranges.n_rows = 0;
	m->objects.n_cells = m->objects.n_rows = 0;
}

/* ---- more threads than counters: make the rows longer */

static int widen_rows(uint32_t **rows, size_t n, uint32_t from, uint32_t to, size_t want)
{
	uint32_t *wide = calloc(want ? want : 1, to * sizeof(*wide));

	if (!wide)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		memcpy(wide + i * to, *rows + i * from, from * sizeof(*wide));
	free(*rows);
	*rows = wide;
	return 0;
}

static int widen_cells(struct cells *c, uint32_t from, uint32_t to)
{
	if (widen_rows(&c->rows, 2 * c->n_cells, from, to, 2 * c->n_cells) < 0)
		return -ENOMEM;
	c->n_rows = c->cap_rows = 2 * c->n_cells * to;
	return 0;
}

static int widen(struct vtb_mazurkiewicz *m, uint32_t threads)
{
	const uint32_t from = m->stride;
	uint32_t to = from ? from : 4;
	uint32_t *scratch;

	while (to < threads)
		to *= 2;
	scratch = realloc(m->scratch, (to + 2) * sizeof(*scratch));
	if (!scratch)
		return -ENOMEM;
	m->scratch = scratch;
	if (widen_rows(&m->threads, from, from, to, to) < 0 || widen_cells(&m->ranges, from, to) < 0 ||
	    widen_cells(&m->objects, from, to) < 0)
		return -ENOMEM;
	m->stride = to;
	return 0;
}

static uint32_t *row_of(struct vtb_mazurkiewicz *m, uint32_t thread)
{
	return m->threads + (size_t)thread * m->stride;
}

/* ---- learning */

/* True: the row has learnt something. */
static bool learn_write(struct vtb_mazurkiewicz *m, uint32_t *row, const struct cells *c, size_t cell)
{
	const struct cell *x = &c->cells[cell];

	if (!x->writer_count || row[x->writer] >= x->writer_count)
		return false;
	join(row, c->rows + 2 * cell * m->stride, m->n_threads);
	return true;
}

static bool learn_reads(struct vtb_mazurkiewicz *m, uint32_t *row, const struct cells *c, size_t cell)
{
	const struct cell *x = &c->cells[cell];
	const uint32_t *reads = c->rows + (2 * cell + 1) * m->stride;

	if (!x->reader_count ||
	    (x->reader == VTB_NONE ? knows(row, reads, m->n_threads) : row[x->reader] >= x->reader_count))
		return false;
	join(row, reads, m->n_threads);
	return true;
}

static void note_write(struct vtb_mazurkiewicz *m, const uint32_t *row, uint32_t thread, struct cells *c, size_t cell)
{
	c->cells[cell] = (struct cell){ .writer = thread, .writer_count = row[thread] };
	copy_row(c->rows + 2 * cell * m->stride, row, m->stride);
}

static void note_read(struct vtb_mazurkiewicz *m, const uint32_t *row, uint32_t thread, struct cells *c, size_t cell)
{
	struct cell *x = &c->cells[cell];
	uint32_t *reads = c->rows + (2 * cell + 1) * m->stride;

	if (!x->reader_count || x->reader == thread) { /* this read knows the thread's earlier ones */
		copy_row(reads, row, m->stride);
		x->reader = thread;
	} else {
		join(reads, row, m->n_threads);
		x->reader = VTB_NONE;
	}
	x->reader_count = row[thread];
}

static int add_cells(struct vtb_mazurkiewicz *m, struct cells *c, size_t n)
{
	while (c->n_cells < n) {
		void *rows = c->rows;

		if (vtb_array_room(c, cells) < 0 ||
		    vtb_array_reserve(&rows, &c->cap_rows, c->n_rows + 2 * m->stride, sizeof(*c->rows)) < 0)
			return -ENOMEM;
		c->rows = rows;
		c->cells[c->n_cells++] = (struct cell){ 0 };
		c->n_rows += 2 * m->stride; /* not cleared: counts of 0 say that a row means nothing */
	}
	return 0;
}

/* Cells [0, n) exist; new ones know nothing. */
static inline int reach_cells(struct vtb_mazurkiewicz *m, struct cells *c, size_t n)
{
	return c->n_cells < n ? add_cells(m, c, n) : 0;
}

/* ---- what an event touches: first everything it learns, then what it leaves behind */

struct touch {
	int64_t object, mutex; /* cells of objects, or -1 */
	uint32_t object_flags;
	bool range; /* shadow.own and shadow.met are filled in */
	uint32_t range_flags;
};

static int reach_vars(struct vtb_mazurkiewicz *m, uint32_t var)
{
	while (m->n_vars <= var) {
		if (vtb_array_room(m, vars) < 0)
			return -ENOMEM;
		m->vars[m->n_vars++] = (struct known_var){ 0 };
	}
	return 0;
}

static int far_object_cell(struct vtb_mazurkiewicz *m, uint32_t var, int64_t *ret)
{
	const uint64_t *at = vtb_map64_put(&m->by_var, var, (uint32_t)m->objects.n_cells);

	if (!at)
		return -ENOMEM;
	*ret = *at;
	return reach_cells(m, &m->objects, *at + 1u);
}

static int object_cell(struct vtb_mazurkiewicz *m, uint32_t var, int64_t *ret)
{
	struct known_var *v;

	if (var >= VARS_MAX)
		return far_object_cell(m, var, ret);
	if (var >= m->n_vars && reach_vars(m, var) < 0)
		return -ENOMEM;
	v = &m->vars[var];
	if (v->run != m->run)
		*v = (struct known_var){ .run = m->run, .cell = (uint32_t)m->objects.n_cells };
	*ret = v->cell;
	return reach_cells(m, &m->objects, v->cell + 1u);
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
	return reach_cells(m, &m->ranges, m->shadow.n_cells);
}

static bool learn_cell(struct vtb_mazurkiewicz *m, uint32_t *row, const struct cells *c, size_t cell, uint32_t flags)
{
	bool news = learn_write(m, row, c, cell);

	if (flags & VTB_EV_WRITES)
		news |= learn_reads(m, row, c, cell);
	return news;
}

static void note_cell(struct vtb_mazurkiewicz *m, const uint32_t *row, uint32_t thread, struct cells *c, size_t cell,
                      uint32_t flags)
{
	if (flags & VTB_EV_WRITES)
		note_write(m, row, thread, c, cell);
	else
		note_read(m, row, thread, c, cell);
}

static bool learn(struct vtb_mazurkiewicz *m, uint32_t *row, const struct touch *touch)
{
	bool news = false;

	if (touch->object >= 0)
		news |= learn_cell(m, row, &m->objects, (size_t)touch->object, touch->object_flags);
	if (touch->mutex >= 0)
		news |= learn_cell(m, row, &m->objects, (size_t)touch->mutex, VTB_EV_WRITES);
	for (size_t i = 0; touch->range && i < m->shadow.n_own; i++)
		news |= learn_cell(m, row, &m->ranges, m->shadow.own[i], touch->range_flags);
	for (size_t i = 0; touch->range && i < m->shadow.n_met; i++)
		news |= learn_cell(m, row, &m->ranges, m->shadow.met[i], touch->range_flags);
	return news;
}

static void note(struct vtb_mazurkiewicz *m, const uint32_t *row, uint32_t thread, const struct touch *touch)
{
	if (touch->object >= 0)
		note_cell(m, row, thread, &m->objects, (size_t)touch->object, touch->object_flags);
	if (touch->mutex >= 0)
		note_cell(m, row, thread, &m->objects, (size_t)touch->mutex, VTB_EV_WRITES);
	for (size_t i = 0; touch->range && i < m->shadow.n_own; i++)
		note_cell(m, row, thread, &m->ranges, m->shadow.own[i], touch->range_flags);
}

#define SEEDED_MAX \
	32u /* counters; XXH3 takes a seed at no cost up to 240 bytes, and derives a whole secret from it beyond */

static uint64_t scatter(uint64_t x) /* the end of SplitMix64 */
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Which event it is (as the seed, while that is cheap), and the clock without its trailing zeros, so that threads that
 * are not born yet do not count. Short inputs XXH3 only combines with the seed: one more here and there would meet. */
static struct vtb_hash128 hash_event(struct vtb_mazurkiewicz *m, const struct vtb_event *e, const uint32_t *row)
{
	const uint64_t which = e->thread | (uint64_t)e->kind << 16 | (uint64_t)e->deviation << 24 |
	                       (uint64_t)(e->deviation ? e->place : 0) << 32;
	uint32_t n = m->n_threads;

	while (n && !row[n - 1])
		n--;
	if (n <= SEEDED_MAX)
		return vtb_hash128(row, n * sizeof(*row), scatter(which));
	memcpy(m->scratch, &which, sizeof(which));
	memcpy(m->scratch + 2, row, n * sizeof(*row));
	return vtb_hash128(m->scratch, (n + 2) * sizeof(*row), 0);
}

/* Out of registers: read back as a whole, what was stored by halves would have to wait until it is in the cache. */
static struct vtb_hash128 halves(sum128 sum)
{
	return (struct vtb_hash128){ .lo = (uint64_t)sum, .hi = (uint64_t)(sum >> 64) };
}

static sum128 whole(struct vtb_hash128 x)
{
	return (sum128)x.hi << 64 | x.lo;
}

/* The thread has done one more operation. */
static sum128 step_of(uint32_t thread)
{
	return (sum128)scatter(~(uint64_t)thread) << 64 | scatter(thread + UINT64_C(1));
}

static int reach_thread(struct vtb_mazurkiewicz *m, uint32_t thread)
{
	if (thread >= m->stride && widen(m, thread + 1u) < 0)
		return -ENOMEM;
	if (thread >= m->n_threads)
		m->n_threads = thread + 1u;
	return 0;
}

static bool is_plain(const struct vtb_event *e)
{
	return (e->kind == VTB_E_READ || e->kind == VTB_E_WRITE || e->kind == VTB_E_FREE) && !e->deviation;
}

/* A plain access, or a free(), from which its thread has learnt nothing stands where its number says, and is what its
 * thread's past makes it. */
static int feed(struct vtb_mazurkiewicz *m, const struct vtb_event *e, const struct vtb_event_info *info)
{
	struct touch touch = { .object = -1, .mutex = -1 };
	uint32_t *row;
	bool news;

	if (reach_thread(m, e->thread) < 0 || find_objects(m, e, info, &touch) < 0 ||
	    find_range(m, e, info, &touch) < 0)
		return -ENOMEM;
	row = row_of(m, e->thread);
	news = learn(m, row, &touch);
	row[e->thread]++;
	note(m, row, e->thread, &touch);
	m->sum += step_of(e->thread);
	if (news || !is_plain(e))
		m->sum += whole(hash_event(m, e, row));
	return 0;
}

/* So many plain accesses of the thread, to what nobody else touches. */
static int pass_over(struct vtb_mazurkiewicz *m, const struct vtb_event *e)
{
	if (reach_thread(m, e->thread) < 0)
		return -ENOMEM;
	row_of(m, e->thread)[e->thread] += (uint32_t)e->value;
	m->sum += step_of(e->thread) * e->value;
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

const uint32_t *vtb_mazurkiewicz_clock(const struct vtb_mazurkiewicz *m, uint32_t thread, uint32_t *ret_len)
{
	static const uint32_t nothing;

	*ret_len = thread < m->n_threads ? m->n_threads : 0;
	return thread < m->n_threads ? m->threads + (size_t)thread * m->stride : &nothing;
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
