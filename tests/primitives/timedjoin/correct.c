/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pthread_timedjoin_np whose time-out is handled. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static int result;

static void *work(void *arg)
{
	(void)arg;
	result = 7;
	return NULL;
}

int main(void)
{
	pthread_t thread;
	struct timespec deadline;

	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += 1;
	pthread_create(&thread, NULL, work, NULL);
	if (pthread_timedjoin_np(thread, NULL, &deadline) == ETIMEDOUT)
		pthread_join(thread, NULL);
	assert(result == 7);
	return 0;
}
