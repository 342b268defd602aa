/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads as the kernel knows them. */
#include "scheduler.h"

const struct vtb_carrier *vtb_carrier;
void *(*vtb_carrier_body)(struct vtb_rt_thread *t);

long vtb_carrier_id(const struct vtb_rt_thread *t)
{
	return vtb_carrier->kernel_id ? vtb_carrier->kernel_id(t) : t->sched.kernel_id;
}

const struct vtb_rt_thread *vtb_carrier_thread(long id)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (vtb_rt.threads[i]->base.state == VTB_T_ALIVE && vtb_carrier_id(vtb_rt.threads[i]) == id)
			return vtb_rt.threads[i];
	return NULL;
}

uint32_t vtb_carrier_slot(long id)
{
	const struct vtb_rt_thread *t = vtb_carrier_thread(id);

	return t ? t->base.slot : VTB_NO_PATH;
}
