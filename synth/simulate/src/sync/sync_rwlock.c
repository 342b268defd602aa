/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Read-write locks. */
#include "sync_family.h"

#include <errno.h>

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

const struct vtb_sync_family vtb_sync_rwlock = { rwlock_enabled, rwlock_apply };
