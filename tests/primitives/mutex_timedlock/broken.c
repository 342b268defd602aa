/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timed lock that is taken to succeed, while the owner waits for the very thread that wants it. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static sem_t done;

static void *add(void *arg)
{
	struct timespec far;

	(void)arg;
	clock_gettime(CLOCK_REALTIME, &far);
	far.tv_sec += 3600;

	assert(pthread_mutex_timedlock(&lock, &far) == 0);
	counter++;
	pthread_mutex_unlock(&lock);
	sem_post(&done);
	return NULL;
}

static void *hold(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	sem_wait(&done);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	sem_init(&done, 0, 0);
	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, hold, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
