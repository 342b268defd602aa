/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A second barrier is missing before the next phase's write. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t phase;
static volatile int total, next;

static void *first(void *arg)
{
	(void)arg;
	total = 1;
	pthread_barrier_wait(&phase);
	next = 1;
	total = 2;
	return NULL;
}

static void *second(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&phase);
	if (!next)
		assert(total == 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&phase, NULL, 2);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
