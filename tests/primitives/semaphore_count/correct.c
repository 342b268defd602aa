/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sem_getvalue, sem_trywait and a count of two. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t items;
static sem_t taken;

static void *put(void *arg)
{
	(void)arg;
	sem_post(&items);
	sem_post(&items);
	return NULL;
}

static void *take(void *arg)
{
	(void)arg;
	sem_wait(&items);
	sem_post(&taken);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	int value;

	sem_init(&items, 0, 0);
	sem_init(&taken, 0, 0);
	pthread_create(&threads[0], NULL, take, NULL);
	pthread_create(&threads[1], NULL, take, NULL);
	pthread_create(&threads[2], NULL, put, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	sem_getvalue(&taken, &value);
	assert(value == 2);
	assert(sem_trywait(&items) == -1);
	return 0;
}
