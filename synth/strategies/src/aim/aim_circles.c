/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Circles of threads each of which holds what the next one asks for. That all of them have come so far takes a stop
 * of each, and no run in which fewer are stopped shows that it leads anywhere: so it is found in the graph of locks
 * that were asked for while others were held, as [GOODLOCK00] does, and tried at once.
 *
 *      lock ── asked for by a thread that holds it ──► lock         a circle through different threads, of which no
 *                                                                   two hold a lock in common, is a suspect
 */
#include <errno.h>
#include <stdlib.h>

#include "aim.h"
#include "vtb/rng.h"

#define COST_OF_CIRCLE 1u
#define EDGES_MOST 8192u
#define CIRCLES_MOST 8u /* of one run */
#define LONGEST 256u    /* threads */
#define STARTS_MOST 1024u
#define STEPS_MOST 65536u /* edges that are looked at, of one run */

/* ---- what was asked for while something was held */

static bool is_lock(const struct vtb_event *e)
{
	const enum vtb_family family = vtb_event_info(e->kind)->family;

	return e->var != VTB_NONE &&
	       (family == VTB_FAMILY_MUTEX || family == VTB_FAMILY_RWLOCK || family == VTB_FAMILY_SEM);
}

/* Who takes from a semaphore and does not put back holds nothing. */
static int read_given_back(struct aim *s, const struct vtb_exec *x)
{
	vtb_map64_clear(&s->touched);
	vtb_map64_clear(&s->counted);
	for (uint32_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (is_lock(e) && vtb_event_is(e, VTB_EV_RELEASE) &&
		    !vtb_map64_put(&s->touched, (uint64_t)e->var << 32 | e->thread, 1))
			return -ENOMEM;
		if (vtb_event_info(e->kind)->family == VTB_FAMILY_SEM && !vtb_map64_put(&s->counted, e->var, 1))
			return -ENOMEM;
	}
	return 0;
}

/* A semaphore may let several in. */
static bool is_counted(struct aim *s, uint32_t lock)
{
	return vtb_map64_at(&s->counted, lock) != NULL;
}

static bool may_wait(const struct vtb_event *e)
{
	return vtb_event_is(e, VTB_EV_ACQUIRE) && vtb_event_is(e, VTB_EV_BLOCKS) && e->kind != VTB_E_RDLOCK;
}

static int note_edges(struct aim *s, const struct aim_holder *h, const struct vtb_event *e, uint32_t done)
{
	for (uint32_t k = 0; k < AIM_HELD; k++) {
		uint64_t *first, *met;

		if (h->held[k] == VTB_NONE || h->held[k] == e->var || s->n_edges == EDGES_MOST)
			continue;
		met = vtb_map64_put(&s->touched, vtb_mix64(vtb_mix64((uint64_t)h->held[k] << 32 | e->var) + e->thread),
		                    0);
		if (met && (*met)++)
			continue;
		first = vtb_map64_put(&s->by_lock, h->held[k], 0);
		if (!met || !first || vtb_array_room(s, edges) < 0)
			return -ENOMEM;
		s->edges[s->n_edges++] =
		    (struct aim_edge){ h->held[k], e->var, e->thread, done - 1, e->site, *h, (uint32_t)*first, false };
		*first = s->n_edges;
	}
	return 0;
}

static void hold(struct aim_holder *h, uint32_t lock)
{
	for (uint32_t k = 0; k < AIM_HELD; k++)
		if (h->held[k] == VTB_NONE) {
			h->held[k] = lock;
			return;
		}
}

static void drop(struct aim_holder *h, uint32_t lock)
{
	for (uint32_t k = AIM_HELD; k-- > 0;)
		if (h->held[k] == lock) {
			h->held[k] = VTB_NONE;
			return;
		}
}

static int read_edges(struct aim *s, const struct vtb_exec *x, struct aim_holder *holders, uint32_t *done)
{
	int r = read_given_back(s, x);

	s->n_edges = 0;
	vtb_map64_clear(&s->by_lock);
	for (uint32_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		struct aim_holder *h = &holders[e->thread];
		uint64_t gives;

		done[e->thread] += vtb_event_is_operation(e);
		if (!is_lock(e))
			continue;
		if (vtb_event_is(e, VTB_EV_RELEASE)) {
			drop(h, e->var);
		} else if (vtb_event_is(e, VTB_EV_ACQUIRE) &&
		           vtb_map64_get(&s->touched, (uint64_t)e->var << 32 | e->thread, &gives)) {
			r = may_wait(e) ? note_edges(s, h, e, done[e->thread]) : 0;
			hold(h, e->var);
		}
	}
	return r;
}

/* ---- circles */

/* Two threads that hold the same never stand there together. */
static bool exclude(struct aim *s, const struct aim_edge *a, const struct aim_edge *b)
{
	for (uint32_t i = 0; i < AIM_HELD; i++)
		for (uint32_t k = 0; k < AIM_HELD; k++)
			if (a->holder.held[i] != VTB_NONE && a->holder.held[i] == b->holder.held[k] &&
			    !is_counted(s, a->holder.held[i]))
				return true;
	return false;
}

static bool fits(struct aim *s, const uint32_t *path, uint32_t n, const struct aim_edge *e)
{
	for (uint32_t i = 0; i < n; i++)
		if (s->edges[path[i]].thread == e->thread || exclude(s, &s->edges[path[i]], e))
			return false;
	return true;
}

/* The next edge behind row k + 1 of its lock that leads on; VTB_NONE. */
static uint32_t step(struct aim *s, const uint32_t *path, uint32_t n, uint32_t row, uint32_t *steps)
{
	for (; row && *steps; row = s->edges[row - 1].next, --*steps)
		if (!s->edges[row - 1].tried && fits(s, path, n, &s->edges[row - 1]))
			return row - 1;
	return VTB_NONE;
}

/* The threads of a circle that begins with this edge: their number, 0: there is none. Each edge is tried once. */
static uint32_t find_circle(struct aim *s, uint32_t first, uint32_t *path, uint32_t *steps)
{
	uint32_t n = 1;

	for (uint32_t i = 0; i < s->n_edges; i++)
		s->edges[i].tried = false;
	path[0] = first;
	while (n && n < LONGEST) {
		const struct aim_edge *last = &s->edges[path[n - 1]];
		uint64_t row = 0;
		uint32_t next;

		if (last->to == s->edges[first].from)
			return n;
		vtb_map64_get(&s->by_lock, last->to, &row);
		next = step(s, path, n, (uint32_t)row, steps);
		if (next == VTB_NONE) {
			n--;
			continue;
		}
		s->edges[next].tried = true;
		path[n++] = next;
	}
	return 0;
}

/* All that are in it are stopped where they ask for the next lock. */
static int queue_circle(struct aim *s, const struct aim_shot *shot, const uint32_t *path, uint32_t n)
{
	struct aim_shot circle = { .first = shot->first,
		                   .second = shot->second,
		                   .third = VTB_NONE,
		                   .circle = (uint32_t)s->n_circles,
		                   .n_circle = n };
	uint64_t key = n, *met;
	int r;

	for (uint32_t i = 0; i < n; i++)
		key += vtb_mix64((uint64_t)s->edges[path[i]].from << 32 | s->edges[path[i]].to);
	r = vtb_bounded_map_add(&s->known, vtb_mix64(key), 1, &met);
	if (r < 0 || met)
		return r;
	for (uint32_t i = 0; i < n; i++) {
		const struct aim_edge *e = &s->edges[path[i]];

		if (vtb_array_room(s, circles) < 0)
			return -ENOMEM;
		s->circles[s->n_circles++] =
		    (struct aim_stop){ .thread = e->thread, .index = e->index, .var = e->from, .site = e->site };
	}
	return aim_queue(s, circle, COST_OF_CIRCLE);
}

static int find_circles(struct aim *s, const struct aim_shot *shot, uint32_t *path)
{
	uint32_t found = 0, steps = STEPS_MOST;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < s->n_edges && i < STARTS_MOST && found < CIRCLES_MOST; i++) {
		const uint32_t n = find_circle(s, i, path, &steps);

		found += n > 0;
		r = n ? queue_circle(s, shot, path, n) : 0;
	}
	return r;
}

int aim_circles(struct aim_look *l)
{
	struct aim *s = l->s;
	const struct aim_holder nothing = { { VTB_NONE, VTB_NONE, VTB_NONE, VTB_NONE } };
	struct aim_holder *holders = malloc(s->n_done * sizeof(*holders));
	uint32_t *done = calloc(s->n_done, sizeof(*done)), *path = malloc(LONGEST * sizeof(*path));
	int r = holders && done && path ? 0 : -ENOMEM;

	for (size_t t = 0; r >= 0 && t < s->n_done; t++)
		holders[t] = nothing;
	r = r < 0 ? r : read_edges(s, l->x, holders, done);
	r = r < 0 ? r : find_circles(s, l->shot, path);
	free(holders);
	free(done);
	free(path);
	return r;
}
