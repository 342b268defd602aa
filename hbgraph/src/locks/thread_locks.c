/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/thread_locks.h"

static size_t find(const struct vtb_held_locks *h, uint32_t lock)
{
	size_t i = 0;

	while (i < h->n && h->of[i].lock != lock)
		i++;
	return i;
}

static void take(struct vtb_held_locks *h, uint32_t lock, bool shared, size_t at)
{
	const bool again = h->waits.depth && h->waits.lock == lock;

	if (h->n == VTB_HELD_LOCKS_MAX)
		return;
	h->of[h->n++] =
	    (struct vtb_held_lock){ .lock = lock, .depth = 1, .since = again ? h->waits.since : at, .shared = shared };
	if (again)
		h->waits.depth = 0;
}

static void remove_at(struct vtb_held_locks *h, size_t at)
{
	h->n--;
	for (size_t i = at; i < h->n; i++)
		h->of[i] = h->of[i + 1];
}

static void give(struct vtb_held_locks *h, size_t known, bool waits)
{
	if (h->of[known].depth > 1) {
		h->of[known].depth--;
		return;
	}
	if (waits)
		h->waits = h->of[known];
	remove_at(h, known);
}

void vtb_held_locks_step(struct vtb_held_locks *h, const struct vtb_event *e, size_t at)
{
	uint32_t lock;
	bool shared;
	const enum vtb_lock_change change = vtb_lock_change(e, &lock, &shared);
	size_t known;

	if (change == VTB_LOCK_SAME || lock == VTB_NONE)
		return;
	known = find(h, lock);
	if (change == VTB_LOCK_TAKEN && known < h->n)
		h->of[known].depth++;
	else if (change == VTB_LOCK_TAKEN)
		take(h, lock, shared, at);
	else if (known < h->n)
		give(h, known, e->kind == VTB_E_COND_WAIT);
}

const struct vtb_held_lock *vtb_held_lock(const struct vtb_held_locks *h, uint32_t lock)
{
	const size_t at = find(h, lock);

	return at < h->n ? &h->of[at] : NULL;
}

void vtb_held_locks_meet(struct vtb_held_locks *h, const struct vtb_held_locks *other, bool same_time)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++) {
		const struct vtb_held_lock *of_other = vtb_held_lock(other, h->of[i].lock);

		if (of_other && (!same_time || of_other->since == h->of[i].since))
			h->of[n++] = h->of[i];
	}
	h->n = n;
}
