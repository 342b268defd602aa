/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An eventfd as a semaphore. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int fd;
static int message;

static void *send(void *arg)
{
	uint64_t one = 1;

	(void)arg;
	message = 7;
	assert(write(fd, &one, sizeof(one)) == sizeof(one));
	return NULL;
}

static void *receive(void *arg)
{
	uint64_t got;

	(void)arg;
	assert(read(fd, &got, sizeof(got)) == sizeof(got));
	assert(message == 7);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	fd = eventfd(0, 0);
	if (fd < 0)
		return 77;
	pthread_create(&threads[0], NULL, receive, NULL);
	pthread_create(&threads[1], NULL, send, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
