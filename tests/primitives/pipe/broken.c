/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two readers, one byte. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];
static volatile int asked;

static void *send(void *arg)
{
	const int two = asked;

	(void)arg;
	assert(write(ends[1], "xx", two ? 1 : 2) > 0);
	return NULL;
}

static void *receive(void *arg)
{
	char byte;

	(void)arg;
	asked = 1;
	assert(read(ends[0], &byte, 1) == 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	if (pipe(ends) != 0)
		return 77;
	pthread_create(&threads[0], NULL, send, NULL);
	pthread_create(&threads[1], NULL, receive, NULL);
	pthread_create(&threads[2], NULL, receive, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
