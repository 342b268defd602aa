/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Critical-section peeking. A mutex goes unnoticed if each of its critical sections is over in the thread that began
 * it, holds accesses only, and none of these that matters is concurrent with one that it conflicts with: concurrent by
 * what is left when such mutexes order nothing. Then it makes no difference which section comes first, or what others
 * do meanwhile: a section may be taken for a part of the operation before. One notice in any run, and the mutex is an
 * operation like others for good.
 *
 *     thread 1   lock m   write a[0]   unlock m   write g              who is in a section of m while others are
 *     thread 2                read g   lock m   write a[8]  unlock m   switched to is never asked: sections are whole
 *
 * Source: [AGA14], critical-section peeking; stricter: there two sections are compared with each other only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "predicate_priv.h"
#include "vtb/array.h"
#include "vtb/wire.h"

#define THREADS_MAX 128u /* of a run that is looked at: a place in memory has a row of them */
#define GRANULE 4u
#define SPAN_MAX 4096u /* bytes of an access that is looked at */

/* By thread: number of its last access to the granule, and of its last one in a section, and of which mutex. */
struct last {
	uint32_t read, wrote;
	uint32_t section_read, section_wrote;
	uint32_t mutex; /* + 1 */
};

struct peek {
	struct vtb_predicate *p;
	const struct vtb_exec *x;
	uint32_t n;                         /* threads */
	uint32_t *clocks;                   /* by thread, n counters each */
	uint32_t *objects;                  /* rows of n counters */
	struct last *rows;                  /* rows of n, by granule */
	struct vtb_map64 object_at, row_at; /* -> index + 1 */
	size_t n_objects, cap_objects, n_rows, cap_rows;
	uint32_t *inside; /* by thread: the mutex of the section that it is in, + 1; 0 none */
	bool *ended, *begun;
	bool noticed;
};

static uint8_t *mutex_flags(struct peek *k, uint32_t var)
{
	return var == VTB_NONE ? NULL : vtb_predicate_flags(&k->p->vars, var);
}

static void notice(struct peek *k, uint32_t var)
{
	uint8_t *f = mutex_flags(k, var);

	if (!f || *f & MUTEX_NOTICED)
		return;
	*f |= MUTEX_NOTICED;
	k->noticed = true;
}

static bool unnoticed(struct peek *k, uint32_t var)
{
	const uint8_t *f = mutex_flags(k, var);

	return f && *f & MUTEX_SEEN && !(*f & MUTEX_NOTICED);
}

/* ---- where sections begin and end, and what they hold */

static bool is_plain_lock(const struct vtb_event *e)
{
	return e->kind == VTB_E_LOCK && !e->value && !(e->flags & VTB_EVF_TRY) && e->var != VTB_NONE;
}

static void leave_section(struct peek *k, const struct vtb_event *e)
{
	if (k->inside[e->thread] != e->var + 1 || e->value)
		notice(k, e->var);
	if (k->inside[e->thread] && k->inside[e->thread] != e->var + 1)
		notice(k, k->inside[e->thread] - 1);
	if (k->inside[e->thread] == e->var + 1)
		k->inside[e->thread] = 0;
}

static bool alone(const struct peek *k, uint32_t thread)
{
	for (uint32_t t = 0; t < k->n; t++)
		if (t != thread && k->begun[t] && !k->ended[t])
			return false;
	return true;
}

/* What nobody peeks into. */
static void note_other(struct peek *k, const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	if (k->inside[e->thread])
		notice(k, k->inside[e->thread] - 1);
	if (info && info->family == VTB_FAMILY_MUTEX && e->kind != VTB_E_MUTEX_INIT &&
	    !(e->kind == VTB_E_MUTEX_DESTROY && alone(k, e->thread)))
		notice(k, e->var);
	if (e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE)
		notice(k, e->aux);
}

static int section_step(struct peek *k, const struct vtb_event *e)
{
	uint8_t *f;

	k->begun[e->thread] = true;
	if (vtb_predicate_is_access(e))
		return 0;
	if (e->kind == VTB_E_UNLOCK)
		leave_section(k, e);
	else if (!is_plain_lock(e))
		note_other(k, e);
	k->ended[e->thread] |= e->kind == VTB_E_THREAD_END;
	if (!is_plain_lock(e))
		return 0;
	f = mutex_flags(k, e->var);
	if (!f)
		return -ENOMEM;
	*f |= MUTEX_SEEN;
	if (k->inside[e->thread])
		notice(k, k->inside[e->thread] - 1);
	if (k->inside[e->thread] == e->var + 1)
		notice(k, e->var);
	k->inside[e->thread] = e->var + 1;
	return 0;
}

static void notice_all(struct peek *k)
{
	for (size_t i = 0; i < k->p->vars.n_items; i++)
		if (k->p->vars.items[i] & MUTEX_SEEN)
			notice(k, (uint32_t)i);
}

/* Sections as such. Where somebody lives on when the process ends, any section may be cut short by that. */
static int find_sections(struct peek *k)
{
	bool cut = false;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < k->x->n_events; i++) {
		const struct vtb_event *e = &k->x->events[i];

		if (!vtb_event_is_operation(e))
			continue;
		cut |= e->kind == VTB_E_PROCESS_EXIT && !alone(k, e->thread);
		r = section_step(k, e);
	}
	for (uint32_t t = 0; t < k->n; t++)
		if (k->inside[t])
			notice(k, k->inside[t] - 1);
	if (cut)
		notice_all(k);
	for (size_t i = 0; i < k->x->n_pending; i++) /* who stands before it is in nobody's way; but nobody should be */
		if (k->x->pending[i].kind == VTB_E_LOCK && k->x->outcome.verdict != VTB_V_NONE)
			notice(k, k->x->pending[i].var);
	return r;
}

/* ---- which accesses in sections are concurrent with what they conflict with */

static uint32_t *clock_of(const struct peek *k, uint32_t thread)
{
	return k->clocks + (size_t)thread * k->n;
}

static void join(uint32_t *a, const uint32_t *b, uint32_t n)
{
	for (uint32_t t = 0; t < n; t++)
		a[t] = a[t] < b[t] ? b[t] : a[t];
}

static int64_t row_of(struct vtb_map64 *map, uint64_t key, size_t *n, size_t *cap, void **items, size_t size)
{
	uint64_t *at = vtb_map64_put(map, key, 0);

	if (!at || *at)
		return at ? (int64_t)(*at - 1) : -ENOMEM;
	if (*n >= *cap && vtb_array_reserve(items, cap, *n + 1, size) < 0)
		return -ENOMEM;
	memset((char *)*items + *n * size, 0, size);
	*at = ++*n;
	return (int64_t)(*at - 1);
}

static uint32_t *object_row(struct peek *k, uint64_t key)
{
	void *items = k->objects;
	const int64_t at =
	    row_of(&k->object_at, key, &k->n_objects, &k->cap_objects, &items, k->n * sizeof(*k->objects));

	k->objects = items;
	return at < 0 ? NULL : k->objects + (size_t)at * k->n;
}

static struct last *granule_row(struct peek *k, uint64_t key)
{
	void *items = k->rows;
	const int64_t at = row_of(&k->row_at, key, &k->n_rows, &k->cap_rows, &items, k->n * sizeof(*k->rows));

	k->rows = items;
	return at < 0 ? NULL : k->rows + (size_t)at * k->n;
}

static void check_last(struct peek *k, const struct last *l, uint32_t seen, bool write, uint32_t mutex)
{
	const bool races = l->wrote > seen || (write && l->read > seen);
	const bool section_races = l->section_wrote > seen || (write && l->section_read > seen);

	if (mutex && races)
		notice(k, mutex - 1);
	if (l->mutex && section_races)
		notice(k, l->mutex - 1);
}

static int touch_granule(struct peek *k, const struct vtb_event *e, uint64_t key, uint32_t mutex)
{
	struct last *row = granule_row(k, key), *own;
	const uint32_t *clock = clock_of(k, e->thread);
	const bool write = vtb_predicate_writes(e), read = vtb_event_is(e, VTB_EV_READS);

	if (!row)
		return -ENOMEM;
	for (uint32_t t = 0; t < k->n; t++)
		if (t != e->thread)
			check_last(k, &row[t], clock[t], write, mutex);
	own = &row[e->thread];
	own->wrote = write ? clock[e->thread] : own->wrote;
	own->read = read ? clock[e->thread] : own->read;
	if (mutex) {
		own->mutex = mutex;
		own->section_wrote = write ? clock[e->thread] : own->section_wrote;
		own->section_read = read ? clock[e->thread] : own->section_read;
	}
	return 0;
}

static int touch(struct peek *k, const struct vtb_event *e, uint32_t mutex)
{
	const uint64_t size = e->size ? e->size : 1;
	int r = 0;

	if (e->flags & (VTB_EVF_ADDR_SYMBOLIC | VTB_EVF_ADDR_UNKNOWN) || size > SPAN_MAX) {
		notice_all(k);
		return 0;
	}
	for (uint64_t g = e->addr / GRANULE; r >= 0 && g <= (e->addr + size - 1) / GRANULE; g++)
		r = touch_granule(k, e, g, mutex);
	return r;
}

/* What it touches orders it, both ways. */
static int order_by(struct peek *k, uint32_t thread, uint64_t key)
{
	uint32_t *row = object_row(k, key);

	if (!row)
		return -ENOMEM;
	join(clock_of(k, thread), row, k->n);
	join(row, clock_of(k, thread), k->n);
	return 0;
}

/* To its granules' rows, of writes and of reads. */
static int order_access(struct peek *k, const struct vtb_event *e)
{
	const uint64_t size = e->size && e->size <= SPAN_MAX ? e->size : 1;
	const bool write = vtb_predicate_writes(e);
	int r = 0;

	for (uint64_t g = e->addr / GRANULE; r >= 0 && g <= (e->addr + size - 1) / GRANULE; g++) {
		uint32_t *row = object_row(k, g << 2 | 1);

		if (!row)
			return -ENOMEM;
		join(clock_of(k, e->thread), row, k->n);
		row = object_row(k, g << 2 | 2);
		if (!row)
			return -ENOMEM;
		if (write)
			join(clock_of(k, e->thread), row, k->n);
		else
			join(row, clock_of(k, e->thread), k->n);
		r = write ? order_by(k, e->thread, g << 2 | 1) : 0;
	}
	return r;
}

static int order_operation(struct peek *k, const struct vtb_event *e)
{
	int r = e->var == VTB_NONE ? 0 : order_by(k, e->thread, (uint64_t)e->var << 2 | 3);

	if (r >= 0 && (e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE) && e->aux != VTB_NONE)
		r = order_by(k, e->thread, (uint64_t)e->aux << 2 | 3);
	return r;
}

static int order_step(struct peek *k, size_t i, const struct vtb_event *e)
{
	const bool access = vtb_predicate_is_access(e);
	const bool lock = (e->kind == VTB_E_LOCK || e->kind == VTB_E_UNLOCK) && unnoticed(k, e->var);
	uint32_t mutex = k->inside[e->thread];
	int r = 0;

	clock_of(k, e->thread)[e->thread]++;
	if (lock) {
		k->inside[e->thread] = e->kind == VTB_E_LOCK ? e->var + 1 : 0;
		return 0;
	}
	if (!access)
		return order_operation(k, e);
	if (k->p->hidden.items[i])
		return 0;
	if (mutex && vtb_predicate_untold(k->p, e->site))
		notice(k, mutex - 1);
	if (!mutex)
		r = order_access(k, e);
	return r < 0 ? r : touch(k, e, mutex);
}

static int find_races(struct peek *k)
{
	int r = 0;

	memset(k->inside, 0, k->n * sizeof(*k->inside));
	for (size_t i = 0; r >= 0 && i < k->x->n_events; i++)
		if (vtb_event_is_operation(&k->x->events[i]))
			r = order_step(k, i, &k->x->events[i]);
	return r;
}

/* ---- the whole */

static void hide_sections(struct peek *k)
{
	memset(k->inside, 0, k->n * sizeof(*k->inside));
	for (size_t i = 0; i < k->x->n_events; i++) {
		const struct vtb_event *e = &k->x->events[i];
		const bool lock = (e->kind == VTB_E_LOCK || e->kind == VTB_E_UNLOCK) && unnoticed(k, e->var);

		if (!lock && !(vtb_predicate_is_access(e) && k->inside[e->thread]))
			continue;
		k->p->hidden.items[i] = 1;
		if (lock)
			k->inside[e->thread] = e->kind == VTB_E_LOCK ? e->var + 1 : 0;
	}
}

static uint32_t threads_of(const struct vtb_exec *x)
{
	uint32_t n = 0;

	for (size_t i = 0; i < x->n_events; i++)
		n = x->events[i].thread >= n ? x->events[i].thread + 1u : n;
	return n;
}

static bool begin(struct peek *k)
{
	k->clocks = calloc((size_t)k->n * k->n + 1, sizeof(*k->clocks));
	k->inside = calloc(k->n + 1, sizeof(*k->inside));
	k->ended = calloc(k->n + 1, sizeof(*k->ended));
	k->begun = calloc(k->n + 1, sizeof(*k->begun));
	return k->clocks && k->inside && k->ended && k->begun;
}

static void end(struct peek *k)
{
	free(k->clocks);
	free(k->objects);
	free(k->rows);
	free(k->inside);
	free(k->ended);
	free(k->begun);
	vtb_map64_fini(&k->object_at);
	vtb_map64_fini(&k->row_at);
}

int vtb_predicate_peek(struct vtb_predicate *p, const struct vtb_exec *x)
{
	struct peek k = { .p = p, .x = x, .n = threads_of(x) };
	int r;

	r = begin(&k) ? find_sections(&k) : -ENOMEM;
	if (r >= 0 && k.n > THREADS_MAX)
		notice_all(&k);
	if (r >= 0 && k.n <= THREADS_MAX)
		r = find_races(&k);
	if (r >= 0 && !k.noticed)
		hide_sections(&k);
	p->grew |= k.noticed;
	end(&k);
	return r;
}
