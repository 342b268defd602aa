/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Correct: a lock decides which of its threads reads the clock first, so each order is a class of runs of its own. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int64_t stamps[2], last;

static void *stamp(void *arg)
{
	struct timespec now;

	pthread_mutex_lock(&mutex);
	clock_gettime(CLOCK_MONOTONIC, &now);
	*(int64_t *)arg = now.tv_sec * 1000000000 + now.tv_nsec;
	assert(*(int64_t *)arg >= last);
	last = *(int64_t *)arg;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	struct timespec before, after;

	clock_gettime(CLOCK_MONOTONIC, &before);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, stamp, &stamps[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert(after.tv_sec * 1000000000 + after.tv_nsec >= last);
	return 0;
}
