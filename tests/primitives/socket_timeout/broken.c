/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who answers is slow at times: that a socket with a time-out gives up is not thought of. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>

static int ends[2];

static void *ask(void *arg)
{
	char answer = 0;

	recv(ends[0], &answer, 1, 0);
	assert(answer == 'y');
	return arg;
}

static void *answer(void *arg)
{
	send(ends[1], "y", 1, 0);
	return arg;
}

int main(void)
{
	const struct timeval limit = { .tv_usec = 10000 };
	pthread_t threads[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	pthread_create(&threads[0], NULL, answer, NULL);
	pthread_create(&threads[1], NULL, ask, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
