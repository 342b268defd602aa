/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A weak compare-and-swap, tried once, by a thread that is alone: it may fail without a reason. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int counter;

static void *add(void *arg)
{
	int seen = 0;

	(void)arg;
	atomic_compare_exchange_weak(&counter, &seen, 1);
	return NULL;
}

static void *idle(void *arg)
{
	(void)arg;

	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, idle, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(atomic_load(&counter) == 1);
	return 0;
}
