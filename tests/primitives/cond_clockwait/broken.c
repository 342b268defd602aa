/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time-out of pthread_cond_clockwait is taken for success. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *set(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *await(void *arg)
{
	struct timespec deadline;

	(void)arg;
	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += 1;
	pthread_mutex_lock(&lock);
	while (!ready)
		if (pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT)
			break;
	assert(ready);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, set, NULL);
	pthread_create(&threads[1], NULL, await, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
