/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiter queues. They are a property of the waiting threads, so an object that is destroyed leaves nothing behind. */
#include "models.h"

void vtb_queue_join(struct vtb_rt_thread *t, const void *object)
{
	t->sched.queue = object;
	t->models.ticket = ++vtb_sched.ticket;
	t->sched.signalled = t->sched.spurious = false;
}

static bool waits(const struct vtb_rt_thread *t, const void *object)
{
	return t->base.state == VTB_T_ALIVE && t->sched.queue == object && !t->sched.signalled;
}

uint32_t vtb_queue_length(const void *object)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		n += waits(vtb_rt.threads[i], object);
	return n;
}

struct vtb_rt_thread *vtb_queue_waiter(const void *object, uint32_t place)
{
	uint64_t after = 0;
	struct vtb_rt_thread *best;

	do {
		best = NULL;
		for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
			struct vtb_rt_thread *t = vtb_rt.threads[i];

			if (waits(t, object) && t->models.ticket > after &&
			    (!best || t->models.ticket < best->models.ticket))
				best = t;
		}
		after = best ? best->models.ticket : 0;
	} while (best && place--);
	return best;
}

struct vtb_rt_thread *vtb_queue_choose(struct vtb_rt_thread *t, const void *object)
{
	const struct vtb_wire_deviation *d = vtb_schedule_deviation(t, 1u << VTB_DEV_WAITER);
	struct vtb_rt_thread *chosen = NULL;

	if (d) {
		chosen = vtb_queue_waiter(object, d->target);
		vtb_schedule_deviated(d, chosen != NULL);
		if (chosen)
			vtb_sched_fact(VTB_E_DEVIATE, t, d->target, 0, chosen->base.slot, VTB_DEV_WAITER);
	}
	return chosen ? chosen : vtb_queue_waiter(object, 0);
}
