/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sync/sync_family.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/rng.h"

static bool always(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	(void)s;
	(void)thread;
	(void)op;
	return true;
}

static uint64_t nothing(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	(void)s;
	(void)thread;
	(void)op;
	return 0;
}

static const struct vtb_sync_family no_family = { always, nothing };

/* Families not named here never wait and change nothing that others wait for. */
static const struct vtb_sync_family *const families[] = {
	[VTB_FAMILY_THREAD] = &vtb_sync_thread, [VTB_FAMILY_MUTEX] = &vtb_sync_mutex,
	[VTB_FAMILY_RWLOCK] = &vtb_sync_rwlock, [VTB_FAMILY_COND] = &vtb_sync_cond,
	[VTB_FAMILY_SEM] = &vtb_sync_sem,       [VTB_FAMILY_BARRIER] = &vtb_sync_barrier,
	[VTB_FAMILY_ONCE] = &vtb_sync_once,     [VTB_FAMILY_FUTEX] = &vtb_sync_futex,
	[VTB_FAMILY_CLOCK] = &vtb_sync_clock,   [VTB_FAMILY_RUN] = &no_family,
};

static const uint8_t family_of[VTB_EVENT_KINDS] = {
#define VTB_EVENT(symbol, number, name, family, flags, text) [number] = VTB_FAMILY_##family,
#include "vtb/events.def"
#undef VTB_EVENT
};

static const struct vtb_sync_family *family(const struct vtb_sync *s, const struct vtb_sync_op *op)
{
	const unsigned f = op->kind < VTB_EVENT_KINDS ? family_of[op->kind] : VTB_FAMILY_NONE;
	const bool nameless = op->object >= s->n_objects && f != VTB_FAMILY_THREAD && f != VTB_FAMILY_CLOCK;

	return nameless || !families[f] ? &no_family : families[f];
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
