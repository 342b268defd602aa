/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dirty_stack toggles|looks: two threads that wait for each other in loops, below whose stack pointer lies what differs
 * from run to run. Nobody reads it: when a thread is held back does not depend on it.
 */
#include <cpuid.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { WORDS = 512 };

static atomic_int wants[2];
static int looks;

/* The processor's, which nobody else hands out: 0 where it has none. */
static uint64_t chance(void)
{
	unsigned eax, ebx, ecx = 0, edx;
	uint64_t drawn = 0;

	if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx >> 30 & 1)
		__asm__ volatile("rdrand %0" : "=r"(drawn) : : "cc");
	return drawn;
}

/* In half of the runs 0, else what could be anything. By pushes, which are told to nobody. */
static __attribute__((noinline)) void leave_dirt(void)
{
	uint64_t dirt = chance(), words = WORDS;

	dirt = dirt & 1 ? dirt : 0;
	__asm__ volatile(
	    "1:	pushq %0\n	leaq (%0,%0), %0\n	decq %1\n	jnz 1b\n	addq %2, %%rsp"
	    : "+r"(dirt), "+r"(words)
	    : "i"(8 * WORDS)
	    : "cc", "memory");
}

static void *waits(void *arg)
{
	const int i = (int)(intptr_t)arg;

	leave_dirt();
	atomic_store(&wants[i], 1);
	if (looks) {
		if (atomic_load(&wants[!i]))
			return NULL;
		leave_dirt();
		while (!atomic_load(&wants[!i]))
			sched_yield();
	} else {
		while (atomic_load(&wants[!i])) {
			atomic_store(&wants[i], 0);
			if (i)
				sched_yield();
			atomic_store(&wants[i], 1);
		}
		atomic_store(&wants[i], 0);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	looks = argc > 1 && !strcmp(argv[1], "looks");
	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, waits, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
