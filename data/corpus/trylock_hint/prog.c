/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "The lock is free, so the value must be there": but it is stored after the unlock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;
static volatile int result;

static void *poll_result(void *arg)
{
	(void)arg;
	if (pthread_mutex_trylock(&busy) == 0) {
		assert(result == 42);
		pthread_mutex_unlock(&busy);
	}
	return NULL;
}

int main(void)
{
	pthread_t poller;

	pthread_mutex_lock(&busy);
	pthread_create(&poller, NULL, poll_result, NULL);
	pthread_mutex_unlock(&busy);
	result = 42;
	pthread_join(poller, NULL);
	return 0;
}
