/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pthread_timedjoin_np is taken to succeed. */
#define _GNU_SOURCE
#include <assert.h>
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
	pthread_timedjoin_np(thread, NULL, &deadline);
	assert(result == 7);
	return 0;
}
