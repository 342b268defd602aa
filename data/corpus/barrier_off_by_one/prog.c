/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The barrier counts the two workers and forgets main, which also has something to get ready. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t ready;
static volatile int limit;

/* Takes a moment, without any visible operation, so that a free run passes. */
static void warm_up(void)
{
	for (int i = 0; i < 2000000; i++)
		__asm__ volatile("");
}

static void *work(void *arg)
{
	(void)arg;
	warm_up();
	pthread_barrier_wait(&ready);
	assert(limit == 10);
	return NULL;
}

int main(void)
{
	pthread_t workers[2];

	pthread_barrier_init(&ready, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&workers[i], NULL, work, NULL);
	limit = 10;
	for (int i = 0; i < 2; i++)
		pthread_join(workers[i], NULL);
	pthread_barrier_destroy(&ready);
	return 0;
}
