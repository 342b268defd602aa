/* SPDX-License-Identifier: GPL-2.0-or-later */
/* poll with a time-out that is taken not to pass. */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static void *send(void *arg)
{
	(void)arg;
	assert(write(ends[1], "x", 1) == 1);
	return NULL;
}

static void *receive(void *arg)
{
	struct pollfd one = { .fd = ends[0], .events = POLLIN };

	(void)arg;
	assert(poll(&one, 1, 500) == 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	if (pipe(ends) != 0)
		return 77;
	pthread_create(&threads[0], NULL, send, NULL);
	pthread_create(&threads[1], NULL, receive, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
