/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queues of condition variables and futexes: first come, first woken. */
#include "sync_family.h"

void vtb_sync_queue_join(struct vtb_sync *s, uint32_t thread, uint32_t object)
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
uint32_t vtb_sync_queue_wake_other(struct vtb_sync *s, uint32_t object)
{
	struct vtb_sync_thread *t = queue_first(s, object);

	for (uint32_t i = 0; t && i < s->place; i++)
		t = queue_next(s, object, t);
	s->place = 0;
	if (t)
		t->woken = true;
	return t != NULL;
}

uint32_t vtb_sync_queue_wake(struct vtb_sync *s, uint32_t object, uint32_t max)
{
	struct vtb_sync_thread *t;
	uint32_t n = 0;

	while (n < max && (t = queue_first(s, object))) {
		t->woken = true;
		n++;
	}
	return n;
}
