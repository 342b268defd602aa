/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chance of the system: getrandom(), what is read from /dev/random and /dev/urandom, and std::random_device, which asks
 * the processor. Each thread gets the same numbers in every run, whatever the others do, so that a schedule leads to
 * the same run each time. The generator is SplitMix64 [SPLITMIX14], begun at a hash of the thread's creation path.
 */
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base.h"
#include "syscalls.h"

#define GOLDEN 0x9e3779b97f4a7c15ull
#define FIRST_PAGE 4096u /* no pointer leads there */
#define MEMORY_DEVICES 1u
#define RANDOM_DEVICE 8u
#define URANDOM_DEVICE 9u

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Slots are given out in the order of creation, which schedules change; the path is the thread's own. O(depth). */
static uint64_t path_of(const struct vtb_rt_thread *t)
{
	uint64_t path = GOLDEN;

	for (; t->base.parent != VTB_NO_PATH; t = vtb_rt.threads[t->base.parent])
		path = mix(path + t->base.nth + 1);
	return path;
}

static uint64_t next(struct vtb_rt_thread *t)
{
	vtb_progress_outside(t);
	return mix(path_of(t) + GOLDEN * ++t->kernel.randoms);
}

static void fill(struct vtb_rt_thread *t, void *to, uint64_t n)
{
	unsigned char *out = to;

	vtb_engine_written(to, n);
	while (n) {
		const uint64_t word = next(t), part = n < sizeof(word) ? n : sizeof(word);

		memcpy(out, &word, part);
		out += part;
		n -= part;
	}
}

/* The kernel gives no more than this at once (random(7)). */
static uint64_t at_most(uint64_t n)
{
	return n < 0x1ffffff ? n : 0x1ffffff;
}

bool vtb_random_call(struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	if ((uint64_t)g[REG_RDI] < FIRST_PAGE || g[REG_RDX] & ~(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE))
		return false; /* the kernel says what is wrong with it */
	*ret = (long)at_most((uint64_t)g[REG_RSI]);
	fill(t, (void *)g[REG_RDI], (uint64_t)*ret);
	return true;
}

bool vtb_random_read(struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	struct stat st;

	if (g[REG_RAX] != SYS_read || (uint64_t)g[REG_RSI] < FIRST_PAGE ||
	    sys3(SYS_fstat, g[REG_RDI], (long)&st, 0) < 0)
		return false;
	if (!S_ISCHR(st.st_mode) || (st.st_rdev != (MEMORY_DEVICES << 8) + RANDOM_DEVICE &&
	                             st.st_rdev != (MEMORY_DEVICES << 8) + URANDOM_DEVICE))
		return false;
	*ret = (long)at_most((uint64_t)g[REG_RDX]);
	fill(t, (void *)g[REG_RSI], (uint64_t)*ret);
	return true;
}

/* unsigned std::random_device::_M_getval(), of libstdc++ */
VTB_EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void *device);
VTB_EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void *device)
{
	unsigned (*real)(void *);

	if (vtb_sched.active && vtb_self && !vtb_self->base.inside)
		return (unsigned)next(vtb_self);
	real = (unsigned (*)(void *))vtb_real_symbol("_ZNSt13random_device9_M_getvalEv");
	return real ? real(device) : 0;
}

void vtb_random_begin(void)
{
	uint64_t *given = (uint64_t *)getauxval(AT_RANDOM); /* 16 bytes; libc has taken its share of them already */

	if (given) {
		given[0] = mix(GOLDEN);
		given[1] = mix(2 * GOLDEN);
	}
}
