/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "held.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"

void held_fini(struct held *h)
{
	for (size_t i = 0; i < h->n_threads; i++)
		free(h->threads[i].locks);
	free(h->threads);
	*h = (struct held){ 0 };
}

const struct held_thread *held_by(const struct held *h, uint32_t thread)
{
	static const struct held_thread nobody;

	return thread < h->n_threads ? &h->threads[thread] : &nobody;
}

static struct held_lock *find(struct held_thread *t, uint32_t lock)
{
	for (size_t i = 0; i < t->n_locks; i++)
		if (t->locks[i].var == lock)
			return &t->locks[i];
	return NULL;
}

static int include(struct sets *sets, uint32_t *set, uint32_t lock)
{
	const int64_t id = sets_add(sets, *set, lock);

	if (id >= 0)
		*set = (uint32_t)id;
	return id < 0 ? (int)id : 0;
}

static int exclude(struct sets *sets, uint32_t *set, uint32_t lock)
{
	const int64_t id = sets_remove(sets, *set, lock);

	if (id >= 0)
		*set = (uint32_t)id;
	return id < 0 ? (int)id : 0;
}

static int take(struct held *h, struct held_thread *t, uint32_t lock, bool read, size_t event)
{
	struct held_lock *known = find(t, lock);

	if (known) {
		known->depth++;
		return 0;
	}
	if (vtb_array_room(t, locks) < 0)
		return -ENOMEM;
	t->locks[t->n_locks++] = (struct held_lock){ .var = lock, .depth = 1, .read = read, .event = event };
	if (include(h->sets, &t->all, lock) < 0)
		return -ENOMEM;
	return read ? 0 : include(h->sets, &t->exclusive, lock);
}

static int give(struct held *h, struct held_thread *t, uint32_t lock)
{
	struct held_lock *known = find(t, lock);

	if (!known || --known->depth)
		return 0;
	for (size_t i = (size_t)(known - t->locks) + 1; i < t->n_locks; i++)
		t->locks[i - 1] = t->locks[i];
	t->n_locks--;
	if (exclude(h->sets, &t->all, lock) < 0)
		return -ENOMEM;
	return exclude(h->sets, &t->exclusive, lock);
}

int held_feed(struct held *h, const struct vtb_event *e, size_t i)
{
	uint32_t lock;
	bool read;
	enum vtb_lock_change change;

	if (e->kind <= VTB_E_FENCE) /* memory: the most frequent kinds */
		return 0;
	change = vtb_lock_change(e, &lock, &read);
	if (change == VTB_LOCK_SAME || lock == VTB_NONE)
		return 0;
	while (h->n_threads <= e->thread) {
		if (vtb_array_room(h, threads) < 0)
			return -ENOMEM;
		h->threads[h->n_threads++] = (struct held_thread){ 0 };
	}
	if (change == VTB_LOCK_TAKEN)
		return take(h, &h->threads[e->thread], lock, read, i);
	return give(h, &h->threads[e->thread], lock);
}
