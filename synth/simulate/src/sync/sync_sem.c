/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Semaphores. */
#include "sync_family.h"

#include <errno.h>

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

const struct vtb_sync_family vtb_sync_sem = { sem_enabled, sem_apply };
