/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sem_timedwait is taken to succeed. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static sem_t gate;
static int counter;

static void *put(void *arg)
{
	(void)arg;
	counter = 1;
	sem_post(&gate);
	return NULL;
}

static void *take(void *arg)
{
	struct timespec far;

	(void)arg;
	clock_gettime(CLOCK_REALTIME, &far);
	far.tv_sec += 1;
	sem_timedwait(&gate, &far);
	assert(counter == 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	sem_init(&gate, 0, 0);
	pthread_create(&threads[0], NULL, put, NULL);
	pthread_create(&threads[1], NULL, take, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
