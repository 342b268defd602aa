/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Closes every descriptor it can name, ours too, then goes on with threads, and fails in one order. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static volatile int ready;

static void *check(void *arg)
{
	(void)arg;
	assert(ready);
	return NULL;
}

static void *prepare(void *arg)
{
	(void)arg;
	ready = 1;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int fd = 0; fd < 4096; fd++)
		close(fd);
	pthread_create(&threads[0], NULL, prepare, NULL);
	pthread_create(&threads[1], NULL, check, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
