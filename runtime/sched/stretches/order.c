/* SPDX-License-Identifier: BSD-2-Clause */
#include "order.h"

#include "base.h"
#include "vtb/events.h"

#define THREADS 128u    /* of which others can know something */
#define OBJECTS 512u    /* whose last operations are kept; where two have the same place, the later one's */
#define SPAN (1u << 20) /* intervals of an epoch of which is kept whose they are */
#define SLOTS 2048u     /* threads that have intervals */
#define ADDRESS_BITS 56
#define LINE_SHIFT 6 /* memory in which objects are looked for together */
#define LINES 4096u

struct object {
	uint64_t key;      /* family and address; of threads the slot */
	uint32_t epoch;    /* its first number */
	uint32_t by, left; /* the thread that left `known` there, and its interval */
	uint32_t known[THREADS];
};

/* In shared memory, which is not rolled back: what is left of earlier runs has numbers that mean nothing any more. */
static struct order {
	uint32_t first, next;
	bool lost; /* for the rest of the run nobody learns anything */
	uint32_t now[SLOTS];
	uint32_t known[THREADS][THREADS]; /* by each of each */
	struct object objects[OBJECTS];
	uint32_t n_kept;
	uint16_t kept[OBJECTS];     /* objects of this epoch: of others nothing can be learnt */
	uint64_t lines[LINES / 64]; /* a bit where one of them may lie */
	uint8_t whose[SPAN];
} * order;

/* What others can learn of it from, */
#define TEACHES(number)                                                                                             \
	(((number) >= VTB_E_ATOMIC_LOAD && (number) <= VTB_E_ATOMIC_CAS_FAIL) || (number) == VTB_E_THREAD_CREATE || \
	 (number) == VTB_E_THREAD_BEGIN || (number) == VTB_E_THREAD_END || (number) == VTB_E_THREAD_JOIN ||         \
	 ((number) >= VTB_E_LOCK && (number) < VTB_E_SLEEP))
/* and what comes from nowhere: it may be another object than was there before. */
#define MAKES(number)                                                                                    \
	((number) == VTB_E_MUTEX_INIT || (number) == VTB_E_RWLOCK_INIT || (number) == VTB_E_COND_INIT || \
	 (number) == VTB_E_SEM_INIT || (number) == VTB_E_BARRIER_INIT)

struct kind {
	uint8_t family;
	bool writes, teaches, makes;
};

#define VTB_EVENT_ROW(flags, family_of, number)                                           \
	{                                                                                 \
		(family_of), ((flags)&VTB_EV_WRITES) != 0, TEACHES(number), MAKES(number) \
	}
static const struct kind kinds[256] = {
#define VTB_EVENT(symbol, number, name, family, flags, text) \
	[number] = VTB_EVENT_ROW(flags, VTB_FAMILY_##family, number),
#include "vtb/events.def"
#undef VTB_EVENT
};

bool vtb_order_begin(void)
{
	order = vtb_shared_pages(sizeof(*order));
	if (order)
		order->next = 1;
	return order != NULL;
}

void vtb_order_begin_run(void)
{
	order->lost = false;
}

bool vtb_order_epoch(void)
{
	const bool wraps = order->next > VTB_ORDER_LAST - 2 * SPAN;

	if (wraps) { /* all of it, but for what holds in this run */
		const bool lost = order->lost;

		sys3(SYS_madvise, (long)order, sizeof(*order), 9 /* MADV_REMOVE: clear */);
		order->next = 1;
		order->lost = lost;
	}
	order->first = order->next;
	order->next += VTB_ORDER_NONE;
	order->n_kept = 0;
	__builtin_memset(order->lines, 0, sizeof(order->lines));
	return !wraps;
}

uint32_t vtb_order_first(void)
{
	return order->first;
}

static uint32_t new_interval(const struct vtb_rt_thread *t)
{
	const uint32_t n = order->next++, slot = t->base.slot;

	if (n - order->first < SPAN)
		order->whose[n - order->first] = slot < THREADS ? (uint8_t)slot : VTB_ORDER_NOBODY;
	else
		order->lost = true;
	if (slot < THREADS)
		order->known[slot][slot] = n;
	return n;
}

uint32_t vtb_order_now(const struct vtb_rt_thread *t)
{
	uint32_t *now = &order->now[t->base.slot];

	if (*now < order->first)
		*now = new_interval(t);
	return *now;
}

bool vtb_order_knows(const struct vtb_rt_thread *t, uint32_t interval)
{
	const uint32_t slot = t->base.slot, i = interval - order->first;

	if (i >= SPAN || slot >= THREADS || order->whose[i] == VTB_ORDER_NOBODY)
		return false;
	return order->whose[i] == slot || (!order->lost && order->known[slot][order->whose[i]] >= interval);
}

void vtb_order_tell(const struct vtb_rt_thread *t, struct vtb_knows *ret)
{
	const uint32_t slot = t->base.slot;

	ret->first = order->first;
	ret->span = order->lost || slot >= THREADS ? 0 : SPAN; /* there are no cells of intervals to come */
	ret->whose = order->whose;
	ret->known = order->known[slot < THREADS ? slot : 0];
}

/* ---- operations */

/* Slots of which somebody can know something. What is kept of higher ones is of earlier runs: of no meaning. */
static uint32_t threads(void)
{
	return vtb_rt.n_threads < THREADS ? vtb_rt.n_threads : THREADS;
}

static uint64_t key_of(unsigned family, uint64_t addr)
{
	return (uint64_t)family << ADDRESS_BITS | addr;
}

static struct object *place_of(uint64_t key)
{
	return &order->objects[key * VTB_SEEN_FACTOR >> 32 & (OBJECTS - 1)];
}

static void join(uint32_t *to, const uint32_t *from)
{
	for (uint32_t i = 0, n = threads(); i < n; i++)
		to[i] = from[i] > to[i] ? from[i] : to[i];
}

/* Who knows of the interval in which somebody left something knows that, too: knowledge is handed on as a whole. */
static void learn(const struct vtb_rt_thread *t, uint64_t key)
{
	const struct object *o = place_of(key);
	uint32_t *known = order->known[t->base.slot];

	if (o->key == key && o->left >= order->first && known[o->by] < o->left)
		join(known, o->known);
}

/* It has learnt from the object before: so who learns from it now learns that, too. */
static void leave(const struct vtb_rt_thread *t, uint64_t key)
{
	struct object *o = place_of(key);

	order->lines[key >> LINE_SHIFT >> 6 & (LINES / 64 - 1)] |= 1ull << (key >> LINE_SHIFT) % 64;
	o->left = vtb_order_now(t);
	o->by = t->base.slot;
	o->key = key;
	__builtin_memcpy(o->known, order->known[t->base.slot], threads() * sizeof(*o->known));
	if (o->epoch == order->first)
		return;
	o->epoch = order->first;
	order->kept[order->n_kept++] = (uint16_t)(o - order->objects);
}

static void meet(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const struct kind *kind = &kinds[call->kind];
	const bool waits = (call->kind == VTB_E_COND_WAIT || call->kind == VTB_E_COND_WAKE) && call->arg;
	const uint64_t key = key_of(kind->family, (uint64_t)call->obj), mutex = key_of(VTB_FAMILY_MUTEX, call->arg);

	if (!kind->makes)
		learn(t, key);
	if (waits)
		learn(t, mutex);
	if (!kind->writes)
		return;
	leave(t, key);
	if (waits)
		leave(t, mutex);
	order->now[t->base.slot] = new_interval(t);
}

static bool some_kept(uint64_t addr, uint64_t size)
{
	const uint64_t from = addr >> LINE_SHIFT, last = (addr + size - 1) >> LINE_SHIFT;

	for (uint64_t i = from; i <= last && i - from < LINES; i++)
		if (order->lines[i >> 6 & (LINES / 64 - 1)] >> i % 64 & 1)
			return true;
	return false;
}

/* Objects in this memory are no more. Of a size that is not known: of all. */
static void forget(uint64_t addr, uint64_t size)
{
	if (size && !some_kept(addr, size))
		return;
	for (uint32_t i = 0; i < order->n_kept; i++) {
		struct object *o = &order->objects[order->kept[i]];

		if (!size || (o->key & ((1ull << ADDRESS_BITS) - 1)) - addr < size)
			o->key = 0;
	}
}

void vtb_order_told(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	if (call->kind == VTB_E_FREE)
		forget((uint64_t)call->obj, call->arg);
	if (call->kind == VTB_E_THREAD_END && t->base.detached) /* its stack may be another one's next */
		order->lost = true;
	if (kinds[call->kind].teaches && t->base.slot < THREADS && !order->lost)
		meet(t, call);
}
