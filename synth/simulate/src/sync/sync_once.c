/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Once: who comes while the initialiser runs must wait for its end. Who found it done may come first here. */
#include "sync_family.h"

static bool comes(const struct vtb_sync_op *op)
{
	return op->kind == VTB_E_ONCE_BEGIN || op->kind == VTB_E_ONCE_FOUND;
}

static bool once_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	const struct vtb_sync_object *o = &s->objects[op->object];

	return !comes(op) || o->owner == VTB_SYNC_NONE || o->owner == thread;
}

static uint64_t once_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	struct vtb_sync_object *o = &s->objects[op->object];

	if (comes(op) && !o->done) {
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

const struct vtb_sync_family vtb_sync_once = { once_enabled, once_apply };
