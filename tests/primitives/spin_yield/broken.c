/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread waits for `met` to be taken back, which nobody does. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int wants[2];
static volatile int met;

static void *first(void *arg)
{
	(void)arg;
	atomic_store(&wants[0], 1);
	if (atomic_load(&wants[1]))
		met = 1;
	while (met)
		sched_yield();
	return NULL;
}

static void *second(void *arg)
{
	(void)arg;
	atomic_store(&wants[1], 1);
	if (atomic_load(&wants[0]) && !met)
		atomic_store(&wants[1], 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
