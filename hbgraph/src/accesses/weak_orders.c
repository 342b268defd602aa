/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/weak_orders.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"
#include "vtb/map64.h"
#include "vtb/syncorder.h"

/* What a thread does to a variable, one for each way of doing it. */
struct use {
	uint64_t addr;
	uint32_t thread, site;
	uint32_t first, last; /* number in its thread of the first time and of the latest */
	uint32_t next;        /* use of the same variable, or VTB_NONE */
	uint8_t order;
	bool reads, writes, races;
};

struct look {
	struct vtb_syncorder *order;
	struct vtb_map64 newest; /* by address: the use of it that was met last */
	struct use *uses;
	size_t n_uses, cap_uses;
	struct use **racing; /* those that race and are not like a lock, by thread; `uses` is as long as it gets */
	size_t n_racing;
	uint64_t *steps;
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
	return e->addr && (e->kind == VTB_E_ATOMIC_LOAD || e->kind == VTB_E_ATOMIC_STORE ||
	                   e->kind == VTB_E_ATOMIC_RMW || e->kind == VTB_E_ATOMIC_CAS_FAIL);
}

static bool is_weak(const struct use *u)
{
	return u->order != __ATOMIC_SEQ_CST;
}

static bool spend(struct look *l)
{
	if (*l->steps == 0)
		return false;
	--*l->steps;
	return true;
}

static struct use *use_at(const struct look *l, uint64_t at)
{
	return at == VTB_NONE ? NULL : &l->uses[at];
}

static struct use *first_of(const struct look *l, uint64_t addr)
{
	const uint64_t *at = vtb_map64_at(&l->newest, addr);

	return at ? use_at(l, *at) : NULL;
}

static struct use *next_of(const struct look *l, const struct use *u)
{
	return use_at(l, u->next);
}

/* ---- which operations race */

static bool is_like(const struct use *u, const struct use *other)
{
	return u->thread == other->thread && u->order == other->order && u->reads == other->reads &&
	       u->writes == other->writes;
}

/* The use of which the new one is another time, or NULL. Marks what it races with: the event is not fed yet, since what
 * it learns from the write that it reads, it need not read. */
static struct use *meet(struct look *l, struct use *fresh, int *r)
{
	struct use *same = NULL;

	for (struct use *u = first_of(l, fresh->addr); u && *r == VTB_WEAK_NONE; u = next_of(l, u)) {
		if (!spend(l))
			*r = VTB_WEAK_UNSEEN;
		if (is_like(u, fresh))
			same = u;
		if (u->thread == fresh->thread || !(u->writes || fresh->writes) ||
		    vtb_syncorder_knows(l->order, fresh->thread, u->thread) >= u->last)
			continue;
		u->races = fresh->races = true;
	}
	return same;
}

static int add_use(struct look *l, struct use *fresh)
{
	uint64_t *newest = vtb_map64_put(&l->newest, fresh->addr, VTB_NONE);

	if (!newest || vtb_array_room(l, uses) < 0)
		return -ENOMEM;
	fresh->next = (uint32_t)*newest;
	*newest = l->n_uses;
	l->uses[l->n_uses++] = *fresh;
	return VTB_WEAK_NONE;
}

static int take(struct look *l, const struct vtb_event *e)
{
	const uint32_t number = vtb_syncorder_count(l->order, e->thread) + 1;
	struct use fresh = { .addr = e->addr,
		             .thread = e->thread,
		             .site = e->site,
		             .first = number,
		             .last = number,
		             .order = e->order,
		             .reads = e->kind != VTB_E_ATOMIC_STORE,
		             .writes = e->kind == VTB_E_ATOMIC_STORE || e->kind == VTB_E_ATOMIC_RMW };
	int r = spend(l) ? VTB_WEAK_NONE : VTB_WEAK_UNSEEN;
	struct use *same = meet(l, &fresh, &r);

	if (r != VTB_WEAK_NONE)
		return r;
	if (!same)
		return add_use(l, &fresh);
	same->last = number;
	same->races |= fresh.races;
	if (fresh.races)
		same->site = fresh.site;
	return r;
}

static int take_all(struct look *l, const struct vtb_event *events, size_t n)
{
	int r = VTB_WEAK_NONE;

	for (size_t i = 0; i < n && r == VTB_WEAK_NONE; i++) {
		if (is_op(&events[i]))
			r = take(l, &events[i]);
		if (r == VTB_WEAK_NONE && vtb_syncorder_feed(l->order, &events[i]) < 0)
			r = -ENOMEM;
	}
	return r;
}

/* Whatever races on it is a read-modify-write that acquires and releases: each synchronises with the next. */
static bool is_like_lock(const struct look *l, uint64_t addr)
{
	for (const struct use *u = first_of(l, addr); u; u = next_of(l, u))
		if (u->races && !(u->reads && u->writes && acquires(u->order) && releases(u->order)))
			return false;
	return true;
}

static int by_thread(const void *a, const void *b)
{
	const struct use *l = *(struct use *const *)a, *r = *(struct use *const *)b;

	if (l->thread != r->thread)
		return l->thread < r->thread ? -1 : 1;
	return l < r ? -1 : l > r;
}

static int choose_racing(struct look *l)
{
	l->racing = calloc(l->n_uses + 1, sizeof(struct use *));
	if (!l->racing)
		return -ENOMEM;
	for (size_t i = 0; i < l->n_uses; i++)
		if (l->uses[i].races && !is_like_lock(l, l->uses[i].addr))
			l->racing[l->n_racing++] = &l->uses[i];
	if (l->n_racing > 1)
		qsort(l->racing, l->n_racing, sizeof(struct use *), by_thread);
	return 0;
}

/* ---- what they may show */

static bool conflict(const struct use *a, const struct use *b)
{
	return b->races && a->thread != b->thread && (a->writes || b->writes);
}

/* That one of them comes after the other's tells the threads nothing of what was before. */
static bool is_loose(const struct use *from, const struct use *to)
{
	return !(from->writes && to->reads && releases(from->order) && acquires(to->order));
}

/* a before b in one thread, c before d in another. */
static bool goes_round(const struct use *a, const struct use *b, const struct use *c, const struct use *d)
{
	return is_loose(b, c) && is_loose(d, a) && (is_weak(a) || is_weak(b) || is_weak(c) || is_weak(d));
}

static int close_round(struct look *l, const struct use *a, const struct use *b, const struct use *c,
                       struct vtb_weak_orders *ret)
{
	for (const struct use *d = first_of(l, a->addr); d; d = next_of(l, d)) {
		if (!spend(l))
			return VTB_WEAK_UNSEEN;
		if (d->thread != c->thread || !conflict(a, d) || c->first >= d->last || !goes_round(a, b, c, d))
			continue;
		*ret = (struct vtb_weak_orders){ { a->site, c->site }, { b->site, d->site } };
		return VTB_WEAK_TWO;
	}
	return VTB_WEAK_NONE;
}

static int look_at_pair(struct look *l, const struct use *a, const struct use *b, struct vtb_weak_orders *ret)
{
	int r = spend(l) ? VTB_WEAK_NONE : VTB_WEAK_UNSEEN;

	if (a->addr == b->addr || a->first >= b->last)
		return r;
	for (const struct use *c = first_of(l, b->addr); c && r == VTB_WEAK_NONE; c = next_of(l, c))
		if (!spend(l))
			r = VTB_WEAK_UNSEEN;
		else if (conflict(b, c) && is_loose(b, c))
			r = close_round(l, a, b, c, ret);
	return r;
}

static int find_two(struct look *l, struct vtb_weak_orders *ret)
{
	int r = VTB_WEAK_NONE;

	for (size_t i = 0, from = 0; i < l->n_racing && r == VTB_WEAK_NONE; i++) {
		const struct use *a = l->racing[i];

		if (a->thread != l->racing[from]->thread)
			from = i;
		for (size_t k = from; k < l->n_racing && l->racing[k]->thread == a->thread && r == VTB_WEAK_NONE; k++)
			r = look_at_pair(l, a, l->racing[k], ret);
	}
	return r;
}

/* A weak one, and one of another variable, in *ret. false: all that race are of one variable, or seq_cst. */
static bool find_weak(const struct look *l, struct vtb_weak_orders *ret)
{
	const struct use *weak = NULL, *other = NULL;

	for (size_t i = 0; i < l->n_racing && !weak; i++)
		if (is_weak(l->racing[i]))
			weak = l->racing[i];
	for (size_t i = 0; i < l->n_racing && weak; i++)
		if (l->racing[i]->addr != weak->addr && (!other || (is_weak(l->racing[i]) && !is_weak(other))))
			other = l->racing[i];
	if (!other)
		return false;
	*ret = (struct vtb_weak_orders){ { weak->site }, { other->site } };
	return true;
}

static int judge(struct look *l, struct vtb_weak_orders *ret)
{
	struct vtb_weak_orders any;
	int r;

	if (choose_racing(l) < 0)
		return -ENOMEM;
	if (!find_weak(l, &any))
		return VTB_WEAK_NONE;
	r = find_two(l, ret);
	if (r != VTB_WEAK_NONE)
		return r;
	for (size_t i = 0, threads = 1; i < l->n_racing; i++) {
		threads += i > 0 && l->racing[i]->thread != l->racing[i - 1]->thread;
		if (threads < 3)
			continue;
		*ret = any;
		return VTB_WEAK_MANY;
	}
	return VTB_WEAK_NONE;
}

bool vtb_weak_orders_any(const struct vtb_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_op(&events[i]) && events[i].order != __ATOMIC_SEQ_CST)
			return true;
	return false;
}

int vtb_weak_orders_of(const struct vtb_symtab *tab, const struct vtb_event *events, size_t n, uint64_t *steps,
                       struct vtb_weak_orders *ret)
{
	struct look l = { .steps = steps };
	int r;

	if (!vtb_weak_orders_any(events, n))
		return VTB_WEAK_NONE;
	if (*steps == 0)
		return VTB_WEAK_UNSEEN;
	if (vtb_syncorder_new(tab, VTB_SYNCORDER_STORES_END, &l.order) < 0)
		return -ENOMEM;
	r = take_all(&l, events, n);
	if (r == VTB_WEAK_NONE)
		r = judge(&l, ret);
	vtb_syncorder_free(l.order);
	vtb_map64_fini(&l.newest);
	free(l.racing);
	free(l.uses);
	return r;
}
