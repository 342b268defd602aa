/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result is read before the join. (The detour through a flag lets a free run pass.) */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int started, result;

static void *work(void *arg)
{
	(void)arg;
	started = 1;
	result = 7;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	if (started)
		assert(result == 7);
	pthread_join(thread, NULL);
	return 0;
}
