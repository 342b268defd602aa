/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * On which processors a thread may run. Control pins the process to one of them, which is not the program's business:
 * it is told what it would be told without us, and what it asks for is kept for it.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base.h"
#include "syscalls.h"

_Static_assert(sizeof(cpu_set_t) == VTB_PROCESSOR_WORDS * sizeof(uint64_t), "one word for 64 processors");

struct processors {
	uint64_t words[VTB_PROCESSOR_WORDS];
};

static struct processors all; /* as the program would see them */
static int n_all;             /* 0: not known, or the process is not pinned */

bool vtb_affinity_pin(void)
{
	const uint32_t wanted = vtb_rt.block->processor;
	cpu_set_t one, now;
	unsigned here = 0;

	CPU_ZERO(&one);
	if ((!wanted && sys3(SYS_getcpu, (long)&here, 0, 0) < 0) || vtb_real.sched_getaffinity(0, sizeof(now), &now))
		return false;
	CPU_SET(wanted ? wanted - 1 : here, &one);
	if (sys3(SYS_sched_setaffinity, 0, sizeof(one), (long)&one) < 0)
		return false;
	memcpy(&all, &now, sizeof(all));
	n_all = CPU_COUNT(&now);
	return true;
}

int vtb_ctl_processors(void)
{
	return n_all;
}

static bool of_thread(const struct vtb_rt_thread *t, struct processors *ret)
{
	uint64_t any = 0;

	if (!n_all)
		return false;
	*ret = all;
	for (size_t i = 0; i < VTB_PROCESSOR_WORDS; i++)
		any |= t->kernel.processors[i];
	for (size_t i = 0; any && i < VTB_PROCESSOR_WORDS; i++)
		ret->words[i] = t->kernel.processors[i];
	return true;
}

/* The kernel gives what it has room for, and says how much that is: its own answer is written over. */
static bool get(const struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	struct processors mine;

	if (!of_thread(t, &mine))
		return false;
	*ret = sys3(SYS_sched_getaffinity, 0, g[REG_RSI], g[REG_RDX]);
	for (long i = 0; i < *ret && i < (long)sizeof(mine); i++)
		((volatile unsigned char *)g[REG_RDX])[i] = ((const unsigned char *)&mine)[i];
	return true;
}

static bool set(struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	const uint64_t size = (uint64_t)g[REG_RSI];
	struct processors wanted = { 0 };
	uint64_t any = 0, byte;

	if (!n_all)
		return false;
	for (uint64_t i = 0; i < size && i < sizeof(wanted); i++) {
		if (!vtb_rt_peek((const void *)(g[REG_RDX] + (greg_t)i), 1, &byte)) {
			*ret = -EFAULT;
			return true;
		}
		((volatile unsigned char *)&wanted)[i] = (unsigned char)byte;
	}
	for (size_t i = 0; i < VTB_PROCESSOR_WORDS; i++)
		any |= wanted.words[i] &= all.words[i];
	for (size_t i = 0; any && i < VTB_PROCESSOR_WORDS; i++)
		t->kernel.processors[i] = wanted.words[i];
	*ret = any ? 0 : -EINVAL;
	return true;
}

/* A thread alone is no operation, as with names of threads. */
static void operation(struct vtb_rt_thread *t, unsigned kind, const struct vtb_rt_thread *of)
{
	if (vtb_sched.active && !vtb_sched.exiting && !vtb_sched_alone(t))
		vtb_op(t, &vtb_primitive_always, kind, vtb_io_name(VTB_IO_PROCESSORS, of->base.slot));
}

bool vtb_affinity_call(struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	const long id = g[REG_RDI];
	struct vtb_rt_thread *of = id ? (struct vtb_rt_thread *)vtb_carrier_thread(id) : t;

	if (!of)
		return false;
	operation(t, g[REG_RAX] == SYS_sched_getaffinity ? VTB_E_IO_READ : VTB_E_IO_WRITE, of);
	return g[REG_RAX] == SYS_sched_getaffinity ? get(of, g, ret) : set(of, g, ret);
}

void vtb_affinity_inherit(struct vtb_rt_thread *child, const struct vtb_rt_thread *creator)
{
	for (size_t i = 0; creator && i < VTB_PROCESSOR_WORDS; i++)
		child->kernel.processors[i] = creator->kernel.processors[i];
}

/* Where calls do not trap. */
int vtb_affinity_of(pid_t pid, size_t size, cpu_set_t *set)
{
	const bool caught = vtb_rt_enter() && vtb_rt_controls() && vtb_sched.catches;

	if (caught || !n_all || pid || size < sizeof(all))
		return VTB_CALL_REAL(sched_getaffinity)(pid, size, set);
	memset(set, 0, size);
	memcpy(set, &all, sizeof(all));
	return 0;
}

/* The first that it may run on. libc would not ask the kernel: the number stands in memory that both share. */
VTB_EXPORT int sched_getcpu(void)
{
	const struct vtb_rt_thread *t = vtb_rt_enter();
	unsigned processor = 0;
	struct processors mine;

	if (!t || !vtb_rt_controls() || !of_thread(t, &mine))
		return (int)(sys3(SYS_getcpu, (long)&processor, 0, 0) < 0 ? 0 : processor);
	for (int i = 0; i < VTB_PROCESSOR_WORDS * 64; i++)
		if (mine.words[i / 64] >> i % 64 & 1)
			return i;
	return 0;
}
