/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that computes for some ticks of the watchdog, each time with its stack pointer on a page that nobody has touched. */
#include <pthread.h>

#define DEPTH 24
#define TURNS 8000000ul

static int result;

__attribute__((noinline, no_sanitize_thread)) static unsigned long computes(int depth)
{
	volatile char untouched[12288];
	unsigned long n = 0;

	__asm__ volatile("" : : "r"(untouched));
	for (unsigned long i = 0; i < TURNS; i++)
		__asm__ volatile("addq $1, %0" : "+r"(n));
	return n + (depth ? computes(depth - 1) : 0);
}

static void *start(void *arg)
{
	result = computes(DEPTH - 1) == DEPTH * TURNS;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, start, NULL);
	pthread_join(t, NULL);
	return result ? 0 : 1;
}
