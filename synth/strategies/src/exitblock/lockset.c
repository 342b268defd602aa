/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lockset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/rng.h"

#define BUCKETS (sizeof(((struct vtb_lockset *)0)->buckets) / sizeof(uint32_t))

void vtb_lockset_fini(struct vtb_lockset *s)
{
	for (size_t t = 0; t < s->n_threads; t++)
		free(s->threads[t].clock);
	free(s->threads);
	free(s->locks);
	free(s->accesses);
	free(s->done);
	free(s->cycles);
	memset(s, 0, sizeof(*s));
}

/* ---- room */

static uint32_t threads_of(const struct vtb_exec *x)
{
	uint32_t n = 64 * x->stride;

	for (size_t i = 0; i < x->n_events; i++)
		n = x->events[i].thread >= n ? x->events[i].thread + 1u : n;
	return n;
}

static int begin(struct vtb_lockset *s, uint32_t n)
{
	for (size_t t = 0; t < s->n_threads; t++) {
		free(s->threads[t].clock);
		s->threads[t].clock = NULL;
	}
	s->n_threads = s->n_accesses = s->n_done = s->n_cycles = s->n_locks = 0;
	memset(s->buckets, 0xff, sizeof(s->buckets));
	for (uint32_t t = 0; t < n; t++) {
		if (vtb_array_room(s, threads) < 0 || vtb_array_room(s, done) < 0)
			return -ENOMEM;
		s->threads[s->n_threads] =
		    (struct vtb_lockset_thread){ .released.lock = VTB_NONE, .clock = calloc(n, sizeof(uint32_t)) };
		if (!s->threads[s->n_threads].clock)
			return -ENOMEM;
		s->threads[s->n_threads].clock[t] = 1;
		s->n_threads++;
		s->done[s->n_done++] = 0;
	}
	return 0;
}

/* Number of a lock, or VTB_NONE if there are too many. */
static uint32_t lock_number(struct vtb_lockset *s, uint32_t var)
{
	for (uint32_t i = 0; i < s->n_locks; i++)
		if (s->locks[i] == var)
			return i;
	if (s->n_locks == VTB_LOCKSET_LOCKS || vtb_array_room(s, locks) < 0)
		return VTB_NONE;
	s->locks[s->n_locks] = var;
	return (uint32_t)s->n_locks++;
}

/* ---- creation and join */

static void join(struct vtb_lockset *s, uint32_t *clock, const uint32_t *other)
{
	for (size_t t = 0; t < s->n_threads; t++)
		clock[t] = clock[t] < other[t] ? other[t] : clock[t];
}

/* The thread whose birth or end is about variable `var`: seen in the run. */
static uint32_t thread_of(const struct vtb_exec *x, uint32_t var)
{
	for (size_t i = 0; i < x->n_events; i++)
		if ((x->events[i].kind == VTB_E_THREAD_BEGIN || x->events[i].kind == VTB_E_THREAD_END) &&
		    x->events[i].var == var)
			return x->events[i].thread;
	return VTB_NONE;
}

static void follow_thread(struct vtb_lockset *s, const struct vtb_exec *x, const struct vtb_event *e)
{
	const uint32_t other = thread_of(x, e->var);

	if (other >= s->n_threads)
		return;
	if (e->kind == VTB_E_THREAD_CREATE) {
		join(s, s->threads[other].clock, s->threads[e->thread].clock);
		s->threads[e->thread].clock[e->thread]++;
	} else {
		join(s, s->threads[e->thread].clock, s->threads[other].clock);
	}
}

/* ---- the discipline */

static bool ordered(const struct vtb_lockset *s, const struct vtb_lockset_access *a, uint32_t thread)
{
	return a->thread == thread || s->threads[thread].clock[a->thread] > a->time;
}

static bool meet(const struct vtb_lockset_access *a, const struct vtb_event *e)
{
	return a->addr < e->addr ? e->addr - a->addr < a->size : a->addr - e->addr < e->size;
}

static int access(struct vtb_lockset *s, const struct vtb_event *e)
{
	struct vtb_lockset_thread *t = &s->threads[e->thread];
	uint32_t *bucket = &s->buckets[vtb_mix64(e->addr / 8) % BUCKETS];
	const bool write = e->kind == VTB_E_WRITE;

	for (uint32_t k = *bucket; k != VTB_NONE; k = s->accesses[k].next) {
		struct vtb_lockset_access *a = &s->accesses[k];

		if (!meet(a, e) || !(write || a->write))
			continue;
		if (!ordered(s, a, e->thread) && !(a->held & t->held) && !s->broken) {
			s->broken = true;
			s->second = *e;
		}
		if (a->thread == e->thread && a->held == t->held && a->write == write &&
		    a->time == t->clock[e->thread] && a->addr == e->addr && a->size == e->size)
			return 0;
	}
	if (vtb_array_room(s, accesses) < 0)
		return -ENOMEM;
	s->accesses[s->n_accesses] = (struct vtb_lockset_access){ .addr = e->addr,
		                                                  .size = e->size,
		                                                  .thread = e->thread,
		                                                  .write = write,
		                                                  .held = t->held,
		                                                  .time = t->clock[e->thread],
		                                                  .next = *bucket };
	*bucket = (uint32_t)s->n_accesses++;
	return 0;
}

/* ---- locks */

static uint32_t owner_of(const struct vtb_lockset *s, uint32_t lock)
{
	for (uint32_t t = 0; t < s->n_threads; t++)
		if (s->threads[t].held >> lock & 1)
			return t;
	return VTB_NONE;
}

/* Thread `t` cannot get `lock`: does the chain of owners and inner locks that they have given back lead to it again? */
static int follow_chain(struct vtb_lockset *s, uint32_t t, uint32_t lock)
{
	uint32_t owner = owner_of(s, lock);

	for (size_t steps = 0; owner != VTB_NONE && owner != t && steps < s->n_threads; steps++) {
		const struct vtb_lockset_thread *o = &s->threads[owner];

		if (o->released.lock == VTB_NONE || !(o->released.outer >> lock & 1))
			return 0;
		if (owner_of(s, o->released.lock) == t) {
			if (vtb_array_room(s, cycles) < 0)
				return -ENOMEM;
			s->cycles[s->n_cycles++] = (struct vtb_lock_cycle){
				.thread = owner, .op = o->released.op, .other = t, .other_lock = s->locks[lock]
			};
			return 0;
		}
		lock = o->released.lock;
		owner = owner_of(s, lock);
	}
	return 0;
}

static void take(struct vtb_lockset *s, uint32_t thread, uint32_t lock)
{
	s->threads[thread].held |= 1ull << lock;
	s->threads[thread].taken_at[lock] = s->done[thread];
}

static void give_back(struct vtb_lockset *s, uint32_t thread, uint32_t lock)
{
	struct vtb_lockset_thread *t = &s->threads[thread];

	t->held &= ~(1ull << lock);
	if (t->held) {
		t->released.lock = lock;
		t->released.op = t->taken_at[lock];
		t->released.outer = t->held;
	} else {
		t->released.lock = VTB_NONE;
	}
}

static void change_locks(struct vtb_lockset *s, const struct vtb_event *e)
{
	const bool wait = e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE;
	const uint32_t lock = lock_number(s, wait ? e->aux : e->var);

	if (lock == VTB_NONE)
		return;
	if (e->kind == VTB_E_UNLOCK || e->kind == VTB_E_COND_WAIT)
		give_back(s, e->thread, lock);
	else if (e->value == 0)
		take(s, e->thread, lock);
}

/* Threads that stand at a lock that they cannot get: at the point before event i, by what they do next. */
static int look_at_waiting(struct vtb_lockset *s, const struct vtb_event *e)
{
	const uint32_t lock = e->kind == VTB_E_LOCK ? lock_number(s, e->var) : VTB_NONE;

	return lock == VTB_NONE ? 0 : follow_chain(s, e->thread, lock);
}

static int feed(struct vtb_lockset *s, const struct vtb_exec *x, const struct vtb_event *e)
{
	switch (e->kind) {
	case VTB_E_READ:
	case VTB_E_WRITE:
		return e->addr && !(e->flags & (VTB_EVF_ADDR_SYMBOLIC | VTB_EVF_ADDR_UNKNOWN)) ? access(s, e) : 0;
	case VTB_E_LOCK:
	case VTB_E_TRYLOCK:
	case VTB_E_TIMEDLOCK:
	case VTB_E_UNLOCK:
	case VTB_E_COND_WAIT:
	case VTB_E_COND_WAKE:
		change_locks(s, e);
		return 0;
	case VTB_E_THREAD_CREATE:
	case VTB_E_THREAD_JOIN:
		follow_thread(s, x, e);
		return 0;
	default:
		return 0;
	}
}

/* Who stops running because it must wait: the next operation of its thread, if that is a lock taken only later. */
static int waits_from_here(struct vtb_lockset *s, const struct vtb_exec *x, size_t i)
{
	const uint32_t t = x->events[i].thread;

	if (i + 1 >= x->n_events || vtb_exec_enabled(x, i + 1, t))
		return 0;
	for (size_t k = i + 1; k < x->n_events; k++)
		if (x->events[k].thread == t)
			return look_at_waiting(s, &x->events[k]);
	for (size_t k = 0; k < x->n_pending; k++)
		if (x->pending[k].thread == t)
			return look_at_waiting(s, &x->pending[k]);
	return 0;
}

int vtb_lockset_read(struct vtb_lockset *s, const struct vtb_exec *x)
{
	int r = begin(s, threads_of(x));

	for (size_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->kind == VTB_E_LOST || e->kind == VTB_E_FAIL)
			continue;
		r = feed(s, x, e);
		s->done[e->thread]++;
		if (r >= 0)
			r = waits_from_here(s, x, i);
	}
	return r;
}
