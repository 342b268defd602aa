/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads: a join waits for the end of another. */
#include "sync_family.h"

static bool thread_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	(void)thread;
	if (op->kind != VTB_E_THREAD_JOIN || op->gives_up || op->target >= s->n_threads)
		return true;
	return s->threads[op->target].life == VTB_SYNC_ENDED;
}

static uint64_t thread_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	if (op->kind == VTB_E_THREAD_CREATE && op->target < s->n_threads)
		vtb_sync_born(s, op->target);
	if (op->kind == VTB_E_THREAD_END)
		s->threads[thread].life = VTB_SYNC_ENDED;
	return 0;
}

const struct vtb_sync_family vtb_sync_thread = { thread_enabled, thread_apply };
