/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sleep instead of synchronisation. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static volatile int ready;

static void *prepare(void *arg)
{
	(void)arg;
	ready = 1;
	return NULL;
}

static void *use(void *arg)
{
	(void)arg;
	usleep(200000);
	assert(ready);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, prepare, NULL);
	pthread_create(&threads[1], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
