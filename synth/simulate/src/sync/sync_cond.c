/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Condition variables: a wait gives the mutex back and joins a queue; waking takes it again. */
#include "sync_family.h"

#include <errno.h>

static bool cond_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	if (op->kind != VTB_E_COND_WAKE)
		return true;
	return (s->threads[thread].woken || s->threads[thread].late || s->threads[thread].queue == VTB_SYNC_NONE) &&
	       vtb_sync_mutex_free(s, thread, op->mutex);
}

static uint64_t cond_wait(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	if (op->mutex < s->n_objects)
		vtb_sync_mutex_give(s, thread, op->mutex);
	vtb_sync_queue_join(s, thread, op->object);
	return 0;
}

static uint64_t cond_wake(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	struct vtb_sync_thread *t = &s->threads[thread];
	const bool late = op->gives_up || (op->timed && !t->woken);

	if (op->mutex < s->n_objects)
		vtb_sync_mutex_take(s, thread, op->mutex);
	t->queue = VTB_SYNC_NONE;
	t->woken = t->late = false;
	return late ? ETIMEDOUT : 0;
}

static uint64_t cond_notify(struct vtb_sync *s, const struct vtb_sync_op *op)
{
	const uint32_t woken = op->kind == VTB_E_COND_SIGNAL && s->place
	                           ? vtb_sync_queue_wake_other(s, op->object)
	                           : vtb_sync_queue_wake(s, op->object, op->kind == VTB_E_COND_SIGNAL ? 1 : UINT32_MAX);

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

const struct vtb_sync_family vtb_sync_cond = { cond_enabled, cond_apply };
