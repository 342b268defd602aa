/* SPDX-License-Identifier: BSD-2-Clause */
/* What the block says of this process. */
#include "engine.h"
#include "rt.h"
#include "sys.h"

struct vtb_rt vtb_rt VTB_RUN_LAST;
const struct vtb_rt_sink *vtb_rt_sink;

static const struct vtb_engine no_engine = { .name = "none" };
const struct vtb_engine *vtb_engine = &no_engine;

void vtb_rt_trouble(const char *text)
{
	char *to = vtb_rt.block ? vtb_rt.block->trouble : NULL;

	if (!to || *to)
		return;
	for (size_t i = 0; i + 1 < sizeof(vtb_rt.block->trouble) && text[i]; i++)
		to[i] = text[i];
}

void vtb_rt_uncontrolled(uint32_t flag)
{
	if (vtb_rt.block)
		__atomic_fetch_or(&vtb_rt.block->uncontrolled, flag, __ATOMIC_RELAXED);
	if (vtb_rt_sink)
		vtb_rt_sink->uncontrolled(flag);
}

void vtb_rt_announce(void)
{
	__atomic_store_n(&vtb_rt.block->state, VTB_STATE_RUNNING, __ATOMIC_RELEASE);
	sys_futex_wake(&vtb_rt.block->state, 1 << 30);
}
