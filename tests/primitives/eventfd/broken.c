/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An eventfd read takes the whole count: the second reader waits for ever. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int fd;

static void *send(void *arg)
{
	uint64_t two = 2;

	(void)arg;
	assert(write(fd, &two, sizeof(two)) == sizeof(two));
	assert(write(fd, &two, sizeof(two)) == sizeof(two));
	return NULL;
}

static void *receive(void *arg)
{
	uint64_t got;

	(void)arg;
	assert(read(fd, &got, sizeof(got)) == sizeof(got));
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	fd = eventfd(0, 0);
	if (fd < 0)
		return 77;
	pthread_create(&threads[0], NULL, send, NULL);
	pthread_create(&threads[1], NULL, receive, NULL);
	pthread_create(&threads[2], NULL, receive, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
