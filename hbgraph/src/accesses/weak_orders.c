/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/weak_orders.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/syncorder.h"

#define THREADS 16u
#define OPS 32u     /* of a thread that are remembered, one of each place and kind, the latest */
#define PAIRS 8192u /* a power of two; of two in one place the later one stays */

/* An operation of a thread. A read-modify-write is a write. */
struct op {
	uint64_t addr; /* 0: none */
	uint32_t number, site;
	bool writes;
	uint8_t order;
};

/* What a pair does, first and then. */
enum { READ_READ, WRITE_READ, READ_WRITE, WRITE_WRITE };

/* An operation and a later one of the same thread. */
struct pair {
	uint64_t from, to;
	uint32_t thread, number; /* of the first one */
	uint32_t first, then;    /* sites */
	uint32_t knew[THREADS];  /* of each thread, before the later one */
	uint8_t kind;
	bool strong, kept; /* both are seq_cst; nobody who acquires and releases sees them in another order */
};

struct look {
	struct vtb_syncorder *order;
	struct op ops[THREADS][OPS];
	uint32_t next[THREADS]; /* place for the next one */
	uint32_t n, threads;    /* operations and threads so far */
	struct pair pairs[PAIRS];
};

static bool acquires(uint8_t order)
{
	return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static bool releases(uint8_t order)
{
	return order >= __ATOMIC_RELEASE;
}

static bool is_op(const struct vtb_event *e)
{
	return e->thread < THREADS && e->addr &&
	       (e->kind == VTB_E_ATOMIC_LOAD || e->kind == VTB_E_ATOMIC_STORE || e->kind == VTB_E_ATOMIC_RMW);
}

static struct pair *place_of(struct look *l, uint32_t thread, uint64_t from, uint64_t to, uint8_t kind)
{
	const uint64_t hash = ((from * 0x9e3779b97f4a7c15ull ^ to) + thread * 4 + kind) * 0xff51afd7ed558ccdull;

	return &l->pairs[hash >> 40 & (PAIRS - 1)];
}

/* With what others do the other way round it is one of the three. */
static uint8_t counterpart(uint8_t kind)
{
	return kind == READ_READ ? WRITE_WRITE : kind == WRITE_WRITE ? READ_READ : kind;
}

/* And nothing orders the two. */
static bool is_weak(const struct pair *a, const struct pair *b)
{
	return b->from == a->to && b->to == a->from && b->thread != a->thread && b->kind == counterpart(a->kind) &&
	       !(a->kind == WRITE_READ ? a->strong && b->strong : a->kept && b->kept) &&
	       a->knew[b->thread] < b->number && b->knew[a->thread] < a->number;
}

static bool find(struct look *l, const struct pair *a, struct vtb_weak_orders *ret)
{
	for (uint32_t t = 0; t < l->threads; t++) {
		const struct pair *b = place_of(l, t, a->to, a->from, counterpart(a->kind));

		if (b->thread != t || !is_weak(a, b))
			continue;
		*ret = (struct vtb_weak_orders){ { b->first, a->first }, { b->then, a->then } };
		return true;
	}
	return false;
}

/* The event is not fed yet: what it learns from the write that it reads, it need not read. */
static bool pair_with(struct look *l, const struct vtb_event *e, struct vtb_weak_orders *ret)
{
	const bool writes = e->kind != VTB_E_ATOMIC_LOAD;
	struct pair now = { .to = e->addr, .thread = e->thread, .then = e->site };

	for (uint32_t t = 0; t < THREADS; t++)
		now.knew[t] = vtb_syncorder_knows(l->order, e->thread, t);
	for (uint32_t i = 0; i < OPS; i++) {
		const struct op *op = &l->ops[e->thread][i];

		if (!op->addr || op->addr == e->addr)
			continue;
		now.from = op->addr;
		now.number = op->number;
		now.first = op->site;
		now.kind = (uint8_t)(op->writes + 2 * writes);
		now.strong = op->order == __ATOMIC_SEQ_CST && e->order == __ATOMIC_SEQ_CST;
		now.kept = (!op->writes && acquires(op->order)) || (writes && releases(e->order));
		if (find(l, &now, ret))
			return true;
		*place_of(l, now.thread, now.from, now.to, now.kind) = now;
	}
	return false;
}

/* The event has been fed. */
static void remember(struct look *l, const struct vtb_event *e)
{
	const bool writes = e->kind != VTB_E_ATOMIC_LOAD;
	struct op *all = l->ops[e->thread], *to = NULL;

	for (uint32_t i = 0; i < OPS && !to; i++)
		if (all[i].addr == e->addr && all[i].writes == writes)
			to = &all[i];
	if (!to)
		to = &all[l->next[e->thread]++ % OPS];
	*to = (struct op){ .addr = e->addr,
		           .number = vtb_syncorder_count(l->order, e->thread),
		           .site = e->site,
		           .writes = writes,
		           .order = e->order };
}

static int step(struct look *l, const struct vtb_event *e, struct vtb_weak_orders *ret)
{
	const bool counts = is_op(e) && l->n++ < VTB_WEAK_ORDERS_MOST;

	if (counts && e->thread >= l->threads)
		l->threads = e->thread + 1u;
	if (counts && pair_with(l, e, ret))
		return 1;
	if (vtb_syncorder_feed(l->order, e) < 0)
		return -ENOMEM;
	if (counts)
		remember(l, e);
	return 0;
}

static bool has_weak(const struct vtb_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_op(&events[i]) && events[i].order != __ATOMIC_SEQ_CST)
			return true;
	return false;
}

int vtb_weak_orders_of(const struct vtb_symtab *tab, const struct vtb_event *events, size_t n,
                       struct vtb_weak_orders *ret)
{
	struct look *l;
	int r = 0;

	if (!has_weak(events, n))
		return 0;
	l = calloc(1, sizeof(*l));
	if (!l || vtb_syncorder_new(tab, 0, &l->order) < 0) {
		free(l);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n && r == 0; i++)
		r = step(l, &events[i], ret);
	vtb_syncorder_free(l->order);
	free(l);
	return r;
}
