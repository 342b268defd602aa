/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core_pairs.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"
#include "vtb/exec_waits.h"

#define MAX_PAIRS 40000u        /* more conflicts than that nobody can read */
#define PAIRS_OF_RUN (1u << 20) /* looked at in one run */

static int by_address(const void *a, const void *b)
{
	const struct core_touch *l = a, *r = b;

	return l->event->addr < r->event->addr ? -1 : l->event->addr > r->event->addr;
}

static bool is_init(const struct vtb_event *e)
{
	return vtb_event_is(e, VTB_EV_WRITES) && !vtb_event_is(e, VTB_EV_READS);
}

static bool is_try(const struct vtb_event *e)
{
	return !vtb_event_is(e, VTB_EV_BLOCKS) && vtb_event_is(e, VTB_EV_ACQUIRE);
}

static bool is_signal(const struct vtb_event *e)
{
	return e->kind == VTB_E_COND_SIGNAL || e->kind == VTB_E_COND_BROADCAST;
}

/* Does it decide anything which of the two comes first? A lock's release follows its acquire: the order of the
 * acquires says it all, unless somebody only tries. Who is woken was decided when it waited. */
static bool decides(const struct vtb_event *a, const struct vtb_event *b)
{
	switch (vtb_event_info(a->kind)->family) {
	case VTB_FAMILY_THREAD:
	case VTB_FAMILY_CLOCK:
	case VTB_FAMILY_RUN:
		return false;
	case VTB_FAMILY_MUTEX:
	case VTB_FAMILY_RWLOCK:
		return is_init(a) || is_init(b) || is_try(a) || is_try(b) ||
		       (vtb_event_is(a, VTB_EV_ACQUIRE) && vtb_event_is(b, VTB_EV_ACQUIRE));
	case VTB_FAMILY_COND:
		return a->kind != VTB_E_COND_WAKE && b->kind != VTB_E_COND_WAKE && !(is_signal(a) && is_signal(b));
	case VTB_FAMILY_BARRIER:
		return a->kind != VTB_E_BARRIER_LEAVE && b->kind != VTB_E_BARRIER_LEAVE;
	case VTB_FAMILY_MEMORY:
	case VTB_FAMILY_ATOMIC:
	case VTB_FAMILY_SEM:
	case VTB_FAMILY_ONCE:
	case VTB_FAMILY_FUTEX:
	case VTB_FAMILY_IO:
	case VTB_FAMILY_SIGNAL:
	case VTB_FAMILY_HEAP:
	default:
		return true;
	}
}

int core_pairs_add(struct core_runs *runs, uint32_t a, uint32_t b)
{
	const uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
	const size_t known = runs->pair_ids.n + runs->pair_ids.has_zero;

	if (!vtb_map64_put(&runs->pair_ids, key, 0))
		return -ENOMEM;
	if (known == runs->pair_ids.n + runs->pair_ids.has_zero)
		return 0;
	if (vtb_array_room(runs, pairs) < 0)
		return -ENOMEM;
	runs->pairs[runs->n_pairs++] = (struct core_pair){ (uint32_t)(key >> 32), (uint32_t)key };
	return 0;
}

/* Does creation or join say which comes first, whatever the schedule? */
static bool forced(const struct vtb_orderindex *order, const struct core_touch *a, const struct core_touch *b)
{
	if (a->at == VTB_EVENT_NONE || b->at == VTB_EVENT_NONE || (a->pending && b->pending))
		return false;
	switch (vtb_orderindex_compare(order, a->at, b->at)) {
	case VTB_BEFORE:
		return !a->pending;
	case VTB_AFTER:
		return !b->pending;
	default:
		return false;
	}
}

static uint64_t end_of(const struct core_touch *t)
{
	return t->event->addr + (t->event->size ? t->event->size : 1);
}

/* Sorted: only those of stretches of memory that several threads touch are kept. A test framework's own accesses, all
 * of one thread, are many more than what is left. Returns how many are. */
static size_t keep_shared(struct core_touch *touches, size_t n)
{
	size_t kept = 0, next;

	for (size_t i = 0; i < n; i = next) {
		uint64_t end = end_of(&touches[i]);
		bool shared = false;

		for (next = i + 1; next < n && touches[next].event->addr < end; next++) {
			shared |= touches[next].event->thread != touches[i].event->thread;
			end = end_of(&touches[next]) > end ? end_of(&touches[next]) : end;
		}
		for (size_t k = i; k < next && shared; k++)
			touches[kept++] = touches[k];
	}
	return kept;
}

int core_pairs_find(struct core_runs *runs, const struct vtb_orderindex *order, struct core_touch *touches, size_t n)
{
	size_t looked = 0;
	int r = 0;

	qsort(touches, n, sizeof(*touches), by_address);
	n = keep_shared(touches, n);
	for (size_t i = 0; i < n && r >= 0; i++) {
		const struct vtb_event *e = touches[i].event;
		const uint64_t end = end_of(&touches[i]);

		for (size_t j = i + 1; j < n && touches[j].event->addr < end && r >= 0; j++) {
			if (looked++ > PAIRS_OF_RUN || runs->n_pairs >= MAX_PAIRS)
				return 0;
			if (vtb_event_conflict(e, touches[j].event) && decides(e, touches[j].event) &&
			    !forced(order, &touches[i], &touches[j]))
				r = core_pairs_add(runs, touches[i].op, touches[j].op);
		}
	}
	return r;
}
