/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The value is known when all who change it have ended. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t items;

static void *put(void *arg)
{
	int value;

	(void)arg;
	sem_post(&items);
	sem_getvalue(&items, &value);
	assert(value == 1 || value == 2);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int value;

	sem_init(&items, 0, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, put, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	sem_getvalue(&items, &value);
	assert(value == 2);
	return 0;
}
