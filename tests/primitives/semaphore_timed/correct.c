/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sem_timedwait whose time-out is handled. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static sem_t gate;

static void *put(void *arg)
{
	(void)arg;
	sem_post(&gate);
	return NULL;
}

static void *take(void *arg)
{
	struct timespec far;

	(void)arg;
	clock_gettime(CLOCK_REALTIME, &far);
	far.tv_sec += 3600;
	if (sem_timedwait(&gate, &far) != 0)
		assert(errno == ETIMEDOUT);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	sem_init(&gate, 0, 0);
	pthread_create(&threads[0], NULL, take, NULL);
	pthread_create(&threads[1], NULL, put, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
