/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time is virtual: it passes only when nobody can go on. */
#include "sync_family.h"

static bool clock_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	return op->kind != VTB_E_SLEEP || s->threads[thread].woken;
}

static uint64_t clock_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op)
{
	(void)op;
	s->threads[thread].woken = false;
	return 0;
}

const struct vtb_sync_family vtb_sync_clock = { clock_enabled, clock_apply };
