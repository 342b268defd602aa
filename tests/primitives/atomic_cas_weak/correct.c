/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A weak compare-and-swap in a loop. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int counter;

static void *add(void *arg)
{
	int seen = atomic_load(&counter);

	(void)arg;
	while (!atomic_compare_exchange_weak(&counter, &seen, seen + 1))
		;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(atomic_load(&counter) == 2);
	return 0;
}
