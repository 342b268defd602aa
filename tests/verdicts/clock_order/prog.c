/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wrong: it takes for granted that the thread that was started first reads the clock first. No operation decides which
 * of them does, so one class of runs stands for both orders, and only one of these fails.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

static int64_t stamps[2];

static void *stamp(void *arg)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	*(int64_t *)arg = now.tv_sec * 1000000000 + now.tv_nsec;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, stamp, &stamps[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(stamps[0] <= stamps[1]);
	return 0;
}
