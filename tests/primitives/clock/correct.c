/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A monotonic clock does not run backwards. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static sem_t go;
static struct timespec before, after;

static void *early(void *arg)
{
	(void)arg;
	clock_gettime(CLOCK_MONOTONIC, &before);
	sem_post(&go);
	return NULL;
}

static void *late(void *arg)
{
	(void)arg;
	sem_wait(&go);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert(after.tv_sec > before.tv_sec || (after.tv_sec == before.tv_sec && after.tv_nsec >= before.tv_nsec));
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	sem_init(&go, 0, 0);
	pthread_create(&threads[0], NULL, early, NULL);
	pthread_create(&threads[1], NULL, late, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
