/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sync_model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/rng.h"

struct family {
	bool (*enabled)(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op);
	uint64_t (*apply)(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op);
};

static bool always(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	(void)s;
	(void)thread;
	(void)op;
	return true;
}

/* ---- threads */

static bool thread_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	(void)thread;
	if (op->kind != VTB_E_THREAD_JOIN || op->gives_up || op->target >= s->n_threads)
		return true;
	return s->threads[op->target].life == VTB_SYNC_ENDED;
}

static uint64_t thread_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	if (op->kind == VTB_E_THREAD_CREATE && op->target < s->n_threads)
		vtb_sync_born(s, op->target);
	if (op->kind == VTB_E_THREAD_END)
		s->threads[thread].life = VTB_SYNC_ENDED;
	return 0;
}

/* ---- mutexes and spin locks. Owner re-entry: the recording got through, so the mutex is recursive. */

static bool mutex_free_for(const struct vtb_sync *s, uint32_t thread, uint32_t mutex)
{
	return mutex >= s->n_objects || s->objects[mutex].owner == VTB_SYNC_NONE || s->objects[mutex].owner == thread;
}

static bool mutex_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	if ((op->kind != VTB_E_LOCK && op->kind != VTB_E_TIMEDLOCK) || op->gives_up)
		return true;
	return mutex_free_for(s, thread, op->object);
}

static void mutex_take(struct vtb_sync *s, uint32_t thread, uint32_t mutex)
{
	s->objects[mutex].owner = thread;
	s->objects[mutex].depth++;
}

static void mutex_give(struct vtb_sync *s, uint32_t thread, uint32_t mutex)
{
	struct vtb_sync_object *o = &s->objects[mutex];

	if (o->owner == thread && --o->depth == 0)
		o->owner = VTB_SYNC_NONE;
}

static uint64_t mutex_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	if (op->kind == VTB_E_UNLOCK) {
		mutex_give(s, thread, op->object);
		return 0;
	}
	if (op->kind != VTB_E_LOCK && op->kind != VTB_E_TRYLOCK && op->kind != VTB_E_TIMEDLOCK)
		return 0;
	if (op->gives_up)
		return op->kind == VTB_E_TRYLOCK ? EBUSY : ETIMEDOUT;
	if (!mutex_free_for(s, thread, op->object))
		return EBUSY; /* only a trylock gets here */
	mutex_take(s, thread, op->object);
	return 0;
}

/* ---- read-write locks */

static bool wants_to_write(const struct vtb_sync_op *op)
{
	return op->kind == VTB_E_WRLOCK || op->kind == VTB_E_TRYWRLOCK;
}

static bool rwlock_free_for(const struct vtb_sync *s, const struct vtb_sync_op *op)
{
	const struct vtb_sync_object *o = &s->objects[op->object];

	return o->owner == VTB_SYNC_NONE && (!wants_to_write(op) || o->readers == 0);
}

static bool rwlock_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	(void)thread;
	if ((op->kind != VTB_E_RDLOCK && op->kind != VTB_E_WRLOCK) || op->gives_up)
		return true;
	return rwlock_free_for(s, op);
}

static void rwlock_give(struct vtb_sync_object *o, uint32_t thread)
{
	if (o->owner == thread)
		o->owner = VTB_SYNC_NONE;
	else if (o->readers)
		o->readers--;
}

static uint64_t rwlock_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	struct vtb_sync_object *o = &s->objects[op->object];

	if (op->kind == VTB_E_RWUNLOCK)
		rwlock_give(o, thread);
	if (op->kind < VTB_E_RDLOCK || op->kind > VTB_E_TRYWRLOCK)
		return 0;
	if (op->gives_up || !rwlock_free_for(s, op))
		return EBUSY;
	if (wants_to_write(op))
		o->owner = thread;
	else
		o->readers++;
	return 0;
}

/* ---- queues of condition variables and futexes: first come, first woken */

static void queue_join(struct vtb_sync *s, uint32_t thread, uint32_t object)
{
	struct vtb_sync_thread *t = &s->threads[thread];

	t->queue = object;
	t->woken = t->late = false;
	t->ticket = s->tickets++;
}

/* The first one that has come after `before`; NULL: of all. */
static struct vtb_sync_thread *queue_next(struct vtb_sync *s, uint32_t object, const struct vtb_sync_thread *before)
{
	struct vtb_sync_thread *first = NULL;

	for (uint32_t i = 0; i < s->n_threads; i++) {
		struct vtb_sync_thread *t = &s->threads[i];

		if (t->queue == object && !t->woken && (!before || t->ticket > before->ticket) &&
		    (!first || t->ticket < first->ticket))
			first = t;
	}
	return first;
}

static struct vtb_sync_thread *queue_first(struct vtb_sync *s, uint32_t object)
{
	return queue_next(s, object, NULL);
}

uint32_t vtb_sync_waiters(const struct vtb_sync *s, uint32_t object)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_threads; i++)
		n += s->threads[i].queue == object && !s->threads[i].woken;
	return n;
}

/* Not the first one, but the one behind s->place others. */
static uint32_t queue_wake_other(struct vtb_sync *s, uint32_t object)
{
	struct vtb_sync_thread *t = queue_first(s, object);

	for (uint32_t i = 0; t && i < s->place; i++)
		t = queue_next(s, object, t);
	s->place = 0;
	if (t)
		t->woken = true;
	return t != NULL;
}

static uint32_t queue_wake(struct vtb_sync *s, uint32_t object, uint32_t max)
{
	struct vtb_sync_thread *t;
	uint32_t n = 0;

	while (n < max && (t = queue_first(s, object))) {
		t->woken = true;
		n++;
	}
	return n;
}

static bool cond_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	if (op->kind != VTB_E_COND_WAKE)
		return true;
	return (s->threads[thread].woken || s->threads[thread].late || s->threads[thread].queue == VTB_SYNC_NONE) &&
	       mutex_free_for(s, thread, op->mutex);
}

static uint64_t cond_wait(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	if (op->mutex < s->n_objects)
		mutex_give(s, thread, op->mutex);
	queue_join(s, thread, op->object);
	return 0;
}

static uint64_t cond_wake(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	struct vtb_sync_thread *t = &s->threads[thread];
	const bool late = op->gives_up || (op->timed && !t->woken);

	if (op->mutex < s->n_objects)
		mutex_take(s, thread, op->mutex);
	t->queue = VTB_SYNC_NONE;
	t->woken = t->late = false;
	return late ? ETIMEDOUT : 0;
}

static uint64_t cond_notify(struct vtb_sync *s, const struct vtb_sync_op *op)
{
	const uint32_t woken = op->kind == VTB_E_COND_SIGNAL && s->place
	                           ? queue_wake_other(s, op->object)
	                           : queue_wake(s, op->object, op->kind == VTB_E_COND_SIGNAL ? 1 : UINT32_MAX);

	if (!woken)
		s->objects[op->object].lost++;
	return woken;
}

static uint64_t cond_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	switch (op->kind) {
	case VTB_E_COND_WAIT:
		return cond_wait(s, thread, op);
	case VTB_E_COND_WAKE:
		return cond_wake(s, thread, op);
	case VTB_E_COND_SIGNAL:
	case VTB_E_COND_BROADCAST:
		return cond_notify(s, op);
	default:
		return 0;
	}
}

static bool futex_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	return op->kind != VTB_E_FUTEX_WOKEN || s->threads[thread].woken || s->threads[thread].queue == VTB_SYNC_NONE;
}

static uint64_t futex_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	if (op->kind == VTB_E_FUTEX_WAIT && !op->gives_up)
		queue_join(s, thread, op->object);
	if (op->kind == VTB_E_FUTEX_WOKEN)
		s->threads[thread].queue = VTB_SYNC_NONE;
	if (op->kind == VTB_E_FUTEX_WAKE)
		return queue_wake(s, op->object, op->arg ? (uint32_t)op->arg : 1);
	return 0;
}

/* ---- semaphores */

static bool sem_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	(void)thread;
	return op->kind != VTB_E_SEM_WAIT || op->gives_up || s->objects[op->object].count > 0;
}

static uint64_t sem_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	struct vtb_sync_object *o = &s->objects[op->object];

	(void)thread;
	if (op->kind == VTB_E_SEM_POST)
		o->count++;
	if (op->kind != VTB_E_SEM_WAIT && op->kind != VTB_E_SEM_TRYWAIT)
		return 0;
	if (op->gives_up || o->count == 0)
		return EAGAIN;
	o->count--;
	return 0;
}

/* ---- barriers */

static bool barrier_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	return op->kind != VTB_E_BARRIER_LEAVE || s->objects[op->object].round != s->threads[thread].round;
}

static uint64_t barrier_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	struct vtb_sync_object *o = &s->objects[op->object];

	if (op->kind != VTB_E_BARRIER_ARRIVE)
		return 0;
	s->threads[thread].round = o->round;
	if (++o->arrived >= o->count) {
		o->arrived = 0;
		o->round++;
	}
	return 0;
}

/* ---- once: who comes while the initialiser runs must wait for its end */
static bool once_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	const struct vtb_sync_object *o = &s->objects[op->object];

	return op->kind != VTB_E_ONCE_BEGIN || o->owner == VTB_SYNC_NONE || o->owner == thread;
}

static uint64_t once_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	struct vtb_sync_object *o = &s->objects[op->object];

	if (op->kind == VTB_E_ONCE_BEGIN && !o->done) {
		o->owner = op->arg ? thread : VTB_SYNC_NONE;
		o->done = !op->arg; /* who found it done: how it would do it is not known */
		return 1;
	}
	if (op->kind == VTB_E_ONCE_END) {
		o->owner = VTB_SYNC_NONE;
		o->done = true;
	}
	return 0;
}

/* ---- time: virtual, it passes only when nobody can go on */

static bool clock_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	return op->kind != VTB_E_SLEEP || s->threads[thread].woken;
}

static uint64_t clock_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	(void)op;
	s->threads[thread].woken = false;
	return 0;
}

static uint64_t nothing(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	(void)s;
	(void)thread;
	(void)op;
	return 0;
}

/* Families not named here never wait and change nothing that others wait for. */
static const struct family families[] = {
	[VTB_FAMILY_NONE] = { always, nothing },
	[VTB_FAMILY_THREAD] = { thread_enabled, thread_apply },
	[VTB_FAMILY_MUTEX] = { mutex_enabled, mutex_apply },
	[VTB_FAMILY_RWLOCK] = { rwlock_enabled, rwlock_apply },
	[VTB_FAMILY_COND] = { cond_enabled, cond_apply },
	[VTB_FAMILY_SEM] = { sem_enabled, sem_apply },
	[VTB_FAMILY_BARRIER] = { barrier_enabled, barrier_apply },
	[VTB_FAMILY_ONCE] = { once_enabled, once_apply },
	[VTB_FAMILY_FUTEX] = { futex_enabled, futex_apply },
	[VTB_FAMILY_CLOCK] = { clock_enabled, clock_apply },
	[VTB_FAMILY_RUN] = { always, nothing },
};

static const uint8_t family_of[VTB_EVENT_KINDS] = {
#define VTB_EVENT(symbol, number, name, family, flags, text) [number] = VTB_FAMILY_##family,
#include "vtb/events.def"
#undef VTB_EVENT
};

static const struct family *family(const struct vtb_sync *s, const struct vtb_sync_op *op)
{
	const unsigned f = op->kind < VTB_EVENT_KINDS ? family_of[op->kind] : VTB_FAMILY_NONE;
	const bool nameless = op->object >= s->n_objects && f != VTB_FAMILY_THREAD && f != VTB_FAMILY_CLOCK;

	return nameless || !families[f].enabled ? &families[VTB_FAMILY_NONE] : &families[f];
}

bool vtb_sync_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	return family(s, op)->enabled(s, thread, op);
}

uint64_t vtb_sync_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	return family(s, op)->apply(s, thread, op);
}

bool vtb_sync_waits_for_time(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	if (s->threads[thread].woken || s->threads[thread].late)
		return false;
	return op->kind == VTB_E_SLEEP || (op->kind == VTB_E_COND_WAKE && op->timed) ||
	       ((op->kind == VTB_E_COND_WAKE || op->kind == VTB_E_FUTEX_WOKEN) && op->gives_up);
}

void vtb_sync_time_out(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	if (op->kind == VTB_E_SLEEP)
		s->now += op->arg;
	if (op->timed)
		s->threads[thread].late = true;
	else
		s->threads[thread].woken = true;
}

uint32_t vtb_sync_waits_for(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	const uint32_t lock = op->kind == VTB_E_COND_WAKE ? op->mutex : op->object;

	if (op->kind == VTB_E_THREAD_JOIN)
		return op->target;
	if (op->kind == VTB_E_COND_WAKE && !s->threads[thread].woken && !s->threads[thread].late)
		return VTB_SYNC_NONE;
	return lock < s->n_objects ? s->objects[lock].owner : VTB_SYNC_NONE;
}

void vtb_sync_born(struct vtb_sync *s, uint32_t thread)
{
	if (s->threads[thread].life != VTB_SYNC_UNBORN)
		return;
	s->threads[thread].life = VTB_SYNC_ALIVE;
	s->threads[thread].birth = s->births++;
}

void vtb_sync_reset(struct vtb_sync *s)
{
	for (uint32_t i = 0; i < s->n_objects; i++)
		s->objects[i] =
		    (struct vtb_sync_object){ .owner = VTB_SYNC_NONE, .count = s->start ? s->start[i].count : 0 };
	for (uint32_t i = 0; i < s->n_threads; i++)
		s->threads[i] = (struct vtb_sync_thread){ .queue = VTB_SYNC_NONE, .birth = UINT32_MAX };
	s->tickets = s->births = s->place = 0;
	s->now = 0;
}

void vtb_sync_copy(const struct vtb_sync *from, struct vtb_sync *to)
{
	memcpy(to->objects, from->objects, from->n_objects * sizeof(*to->objects));
	memcpy(to->threads, from->threads, from->n_threads * sizeof(*to->threads));
	to->tickets = from->tickets;
	to->births = from->births;
	to->now = from->now;
}

int vtb_sync_init(struct vtb_sync *s, uint32_t n_objects, uint32_t n_threads, const struct vtb_sync_start *start)
{
	*s = (struct vtb_sync){ .start = start, .n_objects = n_objects, .n_threads = n_threads };
	s->objects = calloc((size_t)n_objects + 1, sizeof(*s->objects));
	s->threads = calloc((size_t)n_threads + 1, sizeof(*s->threads));
	if (!s->objects || !s->threads) {
		vtb_sync_fini(s);
		return -ENOMEM;
	}
	vtb_sync_reset(s);
	return 0;
}

void vtb_sync_fini(struct vtb_sync *s)
{
	free(s->objects);
	free(s->threads);
	*s = (struct vtb_sync){ 0 };
}

/* ---- fingerprints */

void vtb_sync_mix(struct vtb_hash128 *h, uint64_t value)
{
	h->lo = vtb_mix64(h->lo + value);
	h->hi = vtb_mix64((h->hi ^ value) * 0x9e3779b97f4a7c15ull + h->lo);
}

/* Tickets only say who has come first. */
static uint64_t place_in_queue(const struct vtb_sync *s, uint32_t thread)
{
	const struct vtb_sync_thread *t = &s->threads[thread];
	uint64_t n = 0;

	for (uint32_t i = 0; t->queue != VTB_SYNC_NONE && i < s->n_threads; i++)
		n += s->threads[i].queue == t->queue && s->threads[i].ticket < t->ticket;
	return n;
}

void vtb_sync_state(const struct vtb_sync *s, struct vtb_hash128 *ret)
{
	vtb_sync_mix(ret, s->now);
	for (uint32_t i = 0; i < s->n_objects; i++) {
		const struct vtb_sync_object *o = &s->objects[i];

		vtb_sync_mix(ret, (uint64_t)o->owner << 32 | o->depth);
		vtb_sync_mix(ret, (uint64_t)o->readers << 32 | o->count);
		vtb_sync_mix(ret, (uint64_t)o->arrived << 32 | o->round);
		vtb_sync_mix(ret, (uint64_t)o->lost << 1 | o->done);
	}
	for (uint32_t i = 0; i < s->n_threads; i++) {
		const struct vtb_sync_thread *t = &s->threads[i];

		vtb_sync_mix(ret,
		             (uint64_t)t->queue << 32 | (uint64_t)t->late << 9 | (uint64_t)t->woken << 8 | t->life);
		vtb_sync_mix(ret, place_in_queue(s, i) << 32 | t->round);
		vtb_sync_mix(ret, t->deadline);
	}
}
