/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Barriers: who arrived in a round leaves when the round is complete. */
#include "sync_family.h"

static bool barrier_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	return op->kind != VTB_E_BARRIER_LEAVE || s->objects[op->object].round != s->threads[thread].round;
}

static uint64_t barrier_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	struct vtb_sync_object *o = &s->objects[op->object];

	if (op->kind != VTB_E_BARRIER_ARRIVE)
		return 0;
	s->threads[thread].round = o->round;
	if (++o->arrived >= o->count) {
		o->arrived = 0;
		o->round++;
	}
	return 0;
}

const struct vtb_sync_family vtb_sync_barrier = { barrier_enabled, barrier_apply };
