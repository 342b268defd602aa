/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads as the kernel knows them, and as the program is told. The kernel's ids are others in each process: a program
 * that looks at them would do one thing in this run and another in the next. So it is told numbers that no process has,
 * the same in every run:
 *
 *     VTB_IDS          its parent
 *     VTB_IDS + 1      itself, and its first thread; then those that this one has made, in their order
 *     from VTB_IDS + NESTED on: those that others have made, by a hash of who made whom: which of two creators is first
 * must not show
 *
 * Where another process could come to know such a number the run is made again with the kernel's (VTB_OPT_REAL_IDS).
 */
#include "base.h"
#include "scheduler.h"

#define NESTED (1l << 16)
#define VTB_IDS (4l << 20) /* PID_MAX_LIMIT: Linux gives no id from here on, so none is ever meant by mistake */

const struct vtb_carrier *vtb_carrier;
void *(*vtb_carrier_body)(struct vtb_rt_thread *t);

long vtb_carrier_id(const struct vtb_rt_thread *t)
{
	return vtb_carrier->kernel_id ? vtb_carrier->kernel_id(t) : t->sched.kernel_id;
}

bool vtb_ids_are_told(void)
{
	const struct vtb_wire_header *h = vtb_rt.block;
	const uint32_t process = vtb_sched.process;

	return h && h->mode == VTB_MODE_CONTROL && !(h->options & VTB_OPT_REAL_IDS) &&
	       sys3(SYS_getpid, 0, 0, 0) == (process ? process : h->pid);
}

long vtb_told_process(void)
{
	return VTB_IDS + 1;
}

long vtb_told_parent(void)
{
	return VTB_IDS;
}

static long told(const struct vtb_rt_thread *t)
{
	uint64_t path = 0;

	if (t->base.parent == VTB_NO_PATH)
		return vtb_told_process();
	if (vtb_rt.threads[t->base.parent]->base.parent == VTB_NO_PATH)
		return vtb_told_process() + 1 + t->base.nth % (NESTED - 2);
	for (; t->base.parent != VTB_NO_PATH; t = vtb_rt.threads[t->base.parent])
		path = (path ^ (t->base.nth + 1)) * 0x9e3779b97f4a7c15ull;
	return VTB_IDS + NESTED + (long)(path >> 36); /* 28 bits; of an id, a futex has 30 */
}

long vtb_told_thread(const struct vtb_rt_thread *t)
{
	return vtb_ids_are_told() ? told(t) : vtb_carrier_id(t);
}

long vtb_id_behind(long id)
{
	if (id < VTB_IDS || !vtb_ids_are_told())
		return id;
	if (id == vtb_told_parent())
		return sys3(SYS_getppid, 0, 0, 0);
	if (id == vtb_told_process())
		return sys3(SYS_getpid, 0, 0, 0);
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (vtb_rt.threads[i]->base.state == VTB_T_ALIVE && told(vtb_rt.threads[i]) == id)
			return vtb_carrier->kernel_id ? sys3(SYS_gettid, 0, 0, 0) : vtb_carrier_id(vtb_rt.threads[i]);
	return id; /* nobody has it: the kernel will say so */
}

const struct vtb_rt_thread *vtb_carrier_thread(long id)
{
	const bool is_told = id >= VTB_IDS && vtb_ids_are_told();

	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (vtb_rt.threads[i]->base.state == VTB_T_ALIVE &&
		    (is_told ? told(vtb_rt.threads[i]) : vtb_carrier_id(vtb_rt.threads[i])) == id)
			return vtb_rt.threads[i];
	return NULL;
}

const struct vtb_rt_thread *vtb_carrier_thread_once(long id)
{
	const struct vtb_rt_thread *t = vtb_carrier_thread(id);

	for (uint32_t i = id >= VTB_IDS && vtb_ids_are_told() ? vtb_rt.n_threads : 0; !t && i-- > 0;)
		t = told(vtb_rt.threads[i]) == id ? vtb_rt.threads[i] : NULL;
	return t;
}

uint32_t vtb_carrier_slot(long id)
{
	const struct vtb_rt_thread *t = vtb_carrier_thread(id);

	return t ? t->base.slot : VTB_NO_PATH;
}
