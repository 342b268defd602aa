/* SPDX-License-Identifier: BSD-2-Clause */
#include "run_limits.h"

#include "scheduler.h"

#define VTB_LIMIT(symbol, entries, then, what) \
	[VTB_LIMIT_##symbol] = "stopped at a limit of vtb: more " what "; a run with less of that can be hunted",
static const char *const texts[] = {
#include "run_limits.def"
};
#undef VTB_LIMIT

_Static_assert(VTB_THREADS_ROOM == VTB_RT_THREADS_MAX && VTB_FRAMES_ROOM == VTB_RT_FRAMES_MANY,
               "the tables of base are as large as is said here");

_Noreturn void vtb_limit_reached(enum vtb_limit limit)
{
	const struct vtb_rt_thread *t = vtb_self;

	vtb_failure_end(VTB_V_LIMIT, 0, t ? t->base.pc : 0, 0, texts[limit]);
}

void *vtb_limit_grow(void *table, uint32_t *room, uint32_t at, size_t size, enum vtb_limit limit)
{
	uint32_t wanted = *room;
	void *larger;

	if (at < *room)
		return table;
	while (wanted <= at)
		wanted *= 2;
	larger = vtb_rt_alloc(wanted * size);
	if (!larger && vtb_sched.slot)
		vtb_limit_reached(limit);
	if (!larger) {
		vtb_rt_trouble(texts[limit]);
		return NULL;
	}
	memcpy(larger, table, *room * size);
	*room = wanted;
	return larger;
}
