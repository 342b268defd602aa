/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that needs two posts makes up for one of them only if it comes early. */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t items;
static volatile int late;

static void *put(void *arg)
{
	(void)arg;
	sem_post(&items);
	late = 1;
	return NULL;
}

static void *take(void *arg)
{
	(void)arg;
	if (!late)
		sem_post(&items);
	sem_wait(&items);
	sem_wait(&items);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	sem_init(&items, 0, 0);
	pthread_create(&threads[0], NULL, take, NULL);
	pthread_create(&threads[1], NULL, put, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
