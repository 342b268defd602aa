/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which locks a thread holds at an operation of a run. */
#include "classes/classes.h"
#include "core_names.h"
#include "vtb/thread_locks.h"

static struct vtb_held_locks held_at(const struct vtb_exec *x, size_t at)
{
	struct vtb_held_locks h = { .n = 0 };

	for (size_t i = 0; i < at && i < x->n_events; i++)
		if (x->events[i].thread == x->events[at].thread)
			vtb_held_locks_step(&h, &x->events[i], i);
	return h;
}

bool core_holds_lock(const struct vtb_exec *x, size_t at, uint32_t lock)
{
	const struct vtb_held_locks h = held_at(x, at);

	return vtb_held_lock(&h, lock);
}

bool core_holds_shared(const struct vtb_exec *x, size_t at, uint32_t lock)
{
	const struct vtb_held_locks h = held_at(x, at);
	const struct vtb_held_lock *held = vtb_held_lock(&h, lock);

	return held && held->shared;
}

bool core_keeps_lock(const struct vtb_exec *x, uint32_t thread, uint32_t lock)
{
	struct vtb_held_locks h = { .n = 0 };

	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread == thread)
			vtb_held_locks_step(&h, &x->events[i], i);
	return vtb_held_lock(&h, lock);
}

uint32_t core_takes_lock(const struct vtb_exec *x, size_t at)
{
	struct vtb_held_locks h = { .n = 0 };

	vtb_held_locks_step(&h, &x->events[at], at);
	return h.n ? h.of[0].lock : VTB_NONE;
}

uint32_t core_some_lock(const struct vtb_exec *x, size_t at)
{
	const struct vtb_held_locks h = held_at(x, at);

	return h.n ? h.of[h.n - 1].lock : VTB_NONE;
}

size_t core_locked_since(const struct vtb_exec *x, size_t at)
{
	struct vtb_held_locks h = { .n = 0 };
	size_t since = at;

	for (size_t i = 0; i < at && i < x->n_events; i++) {
		const size_t before = h.n;

		if (x->events[i].thread != x->events[at].thread)
			continue;
		vtb_held_locks_step(&h, &x->events[i], i);
		if (!before && h.n)
			since = i;
	}
	return h.n ? since : at;
}

enum protection { NO_LOCK, ONE_SIDE, DIFFERENT, SHARED, COMMON, NOT_DATA };

static enum protection of_pair(const struct vtb_exec *x, size_t a, size_t b)
{
	const struct vtb_held_locks l = held_at(x, a), r = held_at(x, b);
	enum protection best = !l.n && !r.n ? NO_LOCK : !l.n || !r.n ? ONE_SIDE : DIFFERENT;

	for (size_t i = 0; i < l.n; i++)
		for (size_t k = 0; k < r.n; k++)
			if (l.of[i].lock == r.of[k].lock && best < COMMON)
				best = l.of[i].shared && r.of[k].shared ? SHARED : COMMON;
	return best;
}

static enum protection of_order(const struct vtb_core_view *v, size_t i)
{
	const size_t a = v->before[i].at, b = v->after[i].at;

	return !core_is_data(&v->core->literals[i].before) || a == VTB_EVENT_NONE || b == VTB_EVENT_NONE
	           ? NOT_DATA
	           : of_pair(&v->core->exec, a, b);
}

/* The least that any of the orders has. */
static enum protection least_of(const struct vtb_core_view *v)
{
	enum protection least = NOT_DATA;

	for (size_t i = 0; i < v->core->n_literals; i++) {
		const enum protection p = of_order(v, i);

		least = p < least ? p : least;
	}
	return least;
}

const char *vtb_core_lock(const struct vtb_core_view *v)
{
	static const char *const names[] = { "none", "one-side", "different", "shared", "common", "" };

	return names[least_of(v)];
}

/* ---- the lock that is there already */

#define GUARDS_MAX 16u

struct guards {
	struct {
		uint32_t lock;
		size_t first; /* event */
		unsigned operations;
	} of[GUARDS_MAX];
	size_t n;
};

static void count(struct guards *g, uint32_t lock, size_t at)
{
	size_t i = 0;

	while (i < g->n && g->of[i].lock != lock)
		i++;
	if (i == GUARDS_MAX)
		return;
	if (i == g->n) {
		g->of[i].lock = lock;
		g->of[i].first = at;
		g->of[i].operations = 0;
		g->n++;
	}
	g->of[i].first = at < g->of[i].first ? at : g->of[i].first;
	g->of[i].operations++;
}

static void count_end(struct guards *g, const struct vtb_core_view *v, const struct vtb_core_op *op, size_t at,
                      bool shared)
{
	struct vtb_held_locks h;

	if (!core_is_data(op) || at == VTB_EVENT_NONE)
		return;
	h = held_at(&v->core->exec, at);
	for (size_t i = 0; i < h.n; i++)
		if (h.of[i].shared == shared)
			count(g, h.of[i].lock, at);
}

/* Of the orders that have least: one side of another may hold the lock where that order needs no more. */
static void count_guards(struct guards *g, const struct vtb_core_view *v, bool shared)
{
	const enum protection least = least_of(v);

	for (size_t i = 0; i < v->core->n_literals; i++) {
		if (of_order(v, i) != least && least != NO_LOCK)
			continue;
		count_end(g, v, &v->core->literals[i].before, v->before[i].at, shared);
		count_end(g, v, &v->core->literals[i].after, v->after[i].at, shared);
	}
}

uint32_t vtb_core_guard(const struct vtb_core_view *v, struct vtb_core_op *ret)
{
	struct guards g = { .n = 0 };
	size_t best = 0;

	count_guards(&g, v, false);
	if (!g.n)
		count_guards(&g, v, true);
	for (size_t i = 1; i < g.n; i++)
		if (g.of[i].operations > g.of[best].operations)
			best = i;
	if (!g.n)
		return VTB_NONE;
	*ret = core_op_at(&v->core->exec, g.of[best].first);
	return g.of[best].lock;
}

size_t vtb_core_taken(const struct vtb_exec *x, size_t at, uint32_t lock)
{
	size_t taken = VTB_EVENT_NONE;
	struct vtb_held_locks h = { .n = 0 };

	for (size_t i = 0; i < at && i < x->n_events; i++) {
		const size_t before = h.n;

		if (x->events[i].thread != x->events[at].thread)
			continue;
		vtb_held_locks_step(&h, &x->events[i], i);
		if (h.n > before && h.of[h.n - 1].lock == lock)
			taken = i;
	}
	return taken;
}
