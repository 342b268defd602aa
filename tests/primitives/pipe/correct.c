/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pipe between two threads. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];
static int message;

static void *send(void *arg)
{
	(void)arg;
	message = 7;
	assert(write(ends[1], "x", 1) == 1);
	return NULL;
}

static void *receive(void *arg)
{
	char byte;

	(void)arg;
	assert(read(ends[0], &byte, 1) == 1);
	assert(message == 7);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	if (pipe(ends) != 0)
		return 77;
	pthread_create(&threads[0], NULL, receive, NULL);
	pthread_create(&threads[1], NULL, send, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
