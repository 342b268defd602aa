/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads that compute for a while between their accesses to a shared variable: what a schedule costs is what is
 * run again. */
#include <pthread.h>

#define ITERATIONS 1000000u
#define ACCESSES 6

static int shared;

static unsigned compute(unsigned x)
{
	for (unsigned i = 0; i < ITERATIONS; i++)
		x = x * 1664525u + 1013904223u;
	return x;
}

static void *body(void *arg)
{
	unsigned x = (unsigned)(unsigned long)arg;

	for (int i = 0; i < ACCESSES; i++) {
		x = compute(x);
		__atomic_fetch_add(&shared, (int)(x & 1), __ATOMIC_SEQ_CST);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (unsigned long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, body, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
