/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Futexes: a queue without a mutex. */
#include "sync_family.h"

static bool futex_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	return op->kind != VTB_E_FUTEX_WOKEN || s->threads[thread].woken || s->threads[thread].queue == VTB_SYNC_NONE;
}

static uint64_t futex_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	if (op->kind == VTB_E_FUTEX_WAIT && !op->gives_up)
		vtb_sync_queue_join(s, thread, op->object);
	if (op->kind == VTB_E_FUTEX_WOKEN)
		s->threads[thread].queue = VTB_SYNC_NONE;
	if (op->kind == VTB_E_FUTEX_WAKE)
		return vtb_sync_queue_wake(s, op->object, op->arg ? (uint32_t)op->arg : 1);
	return 0;
}

const struct vtb_sync_family vtb_sync_futex = { futex_enabled, futex_apply };
