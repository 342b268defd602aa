/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which locks a thread holds at an operation of a run. */
#include "classes/classes.h"
#include "core_names.h"

#define HELD_MAX 16u

struct held {
	uint32_t locks[HELD_MAX];
	bool shared[HELD_MAX];
	size_t n;
};

static bool is_lock(const struct vtb_event *e)
{
	const enum vtb_family family = vtb_event_info(e->kind)->family;

	return family == VTB_FAMILY_MUTEX || family == VTB_FAMILY_RWLOCK;
}

static void drop(struct held *h, uint32_t lock)
{
	for (size_t i = h->n; i-- > 0;)
		if (h->locks[i] == lock) {
			h->n--;
			h->locks[i] = h->locks[h->n];
			h->shared[i] = h->shared[h->n];
			return;
		}
}

static void take(struct held *h, uint32_t lock, bool shared)
{
	if (h->n == HELD_MAX)
		return;
	h->locks[h->n] = lock;
	h->shared[h->n++] = shared;
}

static void step(struct held *h, const struct vtb_event *e)
{
	if (e->kind == VTB_E_COND_WAIT)
		drop(h, e->aux);
	else if (e->kind == VTB_E_COND_WAKE && e->aux != VTB_NONE) /* who is late does not have the mutex yet */
		take(h, e->aux, false);
	else if (is_lock(e) && vtb_event_is(e, VTB_EV_RELEASE))
		drop(h, e->var);
	else if (is_lock(e) && vtb_event_is(e, VTB_EV_ACQUIRE) && !(e->flags & VTB_EVF_VALUE && e->value))
		take(h, e->var, e->kind == VTB_E_RDLOCK || e->kind == VTB_E_TRYRDLOCK);
}

static struct held held_at(const struct vtb_exec *x, size_t at)
{
	struct held h = { 0 };

	for (size_t i = 0; i < at && i < x->n_events; i++)
		if (x->events[i].thread == x->events[at].thread)
			step(&h, &x->events[i]);
	return h;
}

bool core_holds_lock(const struct vtb_exec *x, size_t at, uint32_t lock)
{
	const struct held h = held_at(x, at);

	for (size_t i = 0; i < h.n; i++)
		if (h.locks[i] == lock)
			return true;
	return false;
}

bool core_holds_shared(const struct vtb_exec *x, size_t at, uint32_t lock)
{
	const struct held h = held_at(x, at);

	for (size_t i = 0; i < h.n; i++)
		if (h.locks[i] == lock)
			return h.shared[i];
	return false;
}

bool core_keeps_lock(const struct vtb_exec *x, uint32_t thread, uint32_t lock)
{
	struct held h = { 0 };

	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread == thread)
			step(&h, &x->events[i]);
	for (size_t i = 0; i < h.n; i++)
		if (h.locks[i] == lock)
			return true;
	return false;
}

uint32_t core_takes_lock(const struct vtb_exec *x, size_t at)
{
	struct held h = { 0 };

	step(&h, &x->events[at]);
	return h.n ? h.locks[0] : VTB_NONE;
}

uint32_t core_some_lock(const struct vtb_exec *x, size_t at)
{
	const struct held h = held_at(x, at);

	return h.n ? h.locks[h.n - 1] : VTB_NONE;
}

size_t core_locked_since(const struct vtb_exec *x, size_t at)
{
	struct held h = { 0 };
	size_t since = at;

	for (size_t i = 0; i < at && i < x->n_events; i++) {
		const size_t before = h.n;

		if (x->events[i].thread != x->events[at].thread)
			continue;
		step(&h, &x->events[i]);
		if (!before && h.n)
			since = i;
	}
	return h.n ? since : at;
}

enum protection { NO_LOCK, ONE_SIDE, DIFFERENT, SHARED, COMMON, NOT_DATA };

static enum protection of_pair(const struct vtb_exec *x, size_t a, size_t b)
{
	const struct held l = held_at(x, a), r = held_at(x, b);
	enum protection best = !l.n && !r.n ? NO_LOCK : !l.n || !r.n ? ONE_SIDE : DIFFERENT;

	for (size_t i = 0; i < l.n; i++)
		for (size_t k = 0; k < r.n; k++)
			if (l.locks[i] == r.locks[k] && best < COMMON)
				best = l.shared[i] && r.shared[k] ? SHARED : COMMON;
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
	struct held h;

	if (!core_is_data(op) || at == VTB_EVENT_NONE)
		return;
	h = held_at(&v->core->exec, at);
	for (size_t i = 0; i < h.n; i++)
		if (h.shared[i] == shared)
			count(g, h.locks[i], at);
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
	struct held h = { 0 };

	for (size_t i = 0; i < at && i < x->n_events; i++) {
		const size_t before = h.n;

		if (x->events[i].thread != x->events[at].thread)
			continue;
		step(&h, &x->events[i]);
		if (h.n > before && h.locks[h.n - 1] == lock)
			taken = i;
	}
	return taken;
}
