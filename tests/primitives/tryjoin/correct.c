/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pthread_tryjoin_np until it succeeds, with a yield between. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

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

	pthread_create(&thread, NULL, work, NULL);
	while (pthread_tryjoin_np(thread, NULL) == EBUSY)
		sched_yield();
	assert(result == 7);
	return 0;
}
