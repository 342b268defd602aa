/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mutexes and spin locks. Owner re-entry: the recording got through, so the mutex is recursive. */
#include "sync_family.h"

#include <errno.h>

bool vtb_sync_mutex_free(const struct vtb_sync *s, uint32_t thread, uint32_t mutex)
{
	return mutex >= s->n_objects || s->objects[mutex].owner == VTB_SYNC_NONE || s->objects[mutex].owner == thread;
}

static bool mutex_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	if ((op->kind != VTB_E_LOCK && op->kind != VTB_E_TIMEDLOCK) || op->gives_up)
		return true;
	return vtb_sync_mutex_free(s, thread, op->object);
}

void vtb_sync_mutex_take(struct vtb_sync *s, uint32_t thread, uint32_t mutex)
{
	s->objects[mutex].owner = thread;
	s->objects[mutex].depth++;
}

void vtb_sync_mutex_give(struct vtb_sync *s, uint32_t thread, uint32_t mutex)
{
	struct vtb_sync_object *o = &s->objects[mutex];

	if (o->owner == thread && --o->depth == 0)
		o->owner = VTB_SYNC_NONE;
}

static uint64_t mutex_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	if (op->kind == VTB_E_UNLOCK) {
		vtb_sync_mutex_give(s, thread, op->object);
		return 0;
	}
	if (op->kind != VTB_E_LOCK && op->kind != VTB_E_TRYLOCK && op->kind != VTB_E_TIMEDLOCK)
		return 0;
	if (op->gives_up)
		return op->kind == VTB_E_TRYLOCK ? EBUSY : ETIMEDOUT;
	if (!vtb_sync_mutex_free(s, thread, op->object))
		return EBUSY; /* only a trylock gets here */
	vtb_sync_mutex_take(s, thread, op->object);
	return 0;
}

const struct vtb_sync_family vtb_sync_mutex = { mutex_enabled, mutex_apply };
