/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A constructor, or a static object, starts a thread before main, where nothing is controlled yet:
 *
 *     constructor ── pthread_create ── a fiber of the pool, parked; its handle ──► the program
 *     main begins ── vtb_early_begin ── THREAD_CREATE of each, by main, in every run
 *
 * One that is joined before main has its whole life there: it is no fiber but runs freely then.
 */

#include "models.h"

static struct early {
	pthread_t handle;
	void *(*start)(void *);
	void *arg;
	uint64_t pc;
	bool detached, over;
} * early;
static uint32_t n_early, room;

uint32_t vtb_early_count(void)
{
	return n_early;
}

bool vtb_early_note(pthread_t handle, void *(*start)(void *), void *arg, uint64_t pc)
{
	if (n_early == room) {
		struct early *larger = vtb_rt_alloc((2ul * room + 8) * sizeof(*larger));

		if (!larger)
			return false;
		if (n_early)
			memcpy(larger, early, n_early * sizeof(*larger));
		early = larger;
		room = 2 * room + 8;
	}
	early[n_early++] = (struct early){ .handle = handle, .start = start, .arg = arg, .pc = pc };
	return true;
}

bool vtb_early_detach(pthread_t handle)
{
	for (uint32_t i = 0; i < n_early; i++)
		if (early[i].handle == handle) {
			early[i].detached = true;
			return true;
		}
	return false;
}

bool vtb_early_join(pthread_t handle, void **ret)
{
	for (uint32_t i = 0; i < n_early; i++) {
		pthread_t free_running;

		if (early[i].handle != handle || early[i].over || early[i].detached)
			continue;
		early[i].over = true;
		return vtb_real.pthread_create(&free_running, NULL, early[i].start, early[i].arg) == 0 &&
		       vtb_real.pthread_join(free_running, ret) == 0;
	}
	return false;
}

static void *nothing(void *arg)
{
	return arg;
}

/* Handles go by the order of births: whose life is over keeps its place, if others come behind. */
static void give_up(void)
{
	while (n_early && early[n_early - 1].over)
		n_early--;
	for (uint32_t i = 0; i < n_early; i++)
		if (early[i].over)
			early[i] = (struct early){
				.handle = early[i].handle, .start = nothing, .pc = early[i].pc, .detached = true
			};
}

static bool escaped;

void vtb_early_escapes(void)
{
	escaped = true;
}

void vtb_early_begin(struct vtb_rt_thread *main)
{
	if (escaped)
		vtb_failure_end(
		    VTB_V_LIMIT, 0, main->base.pc, 0,
		    "stopped at a limit of vtb: a thread that is made before main needs carrier fibers; leave out "
		    "--carrier");
	give_up();
	for (uint32_t i = 0; i < n_early; i++) {
		pthread_t handle;

		main->base.pc = early[i].pc;
		if (vtb_ctl_pthread_create(&handle, NULL, early[i].start, early[i].arg) == 0 && early[i].detached)
			vtb_ctl_pthread_detach(handle);
	}
}
