/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nobody need answer: a socket with a time-out gives up, and says so. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>

static int ends[2];
static int asked, given_up;

static void *ask(void *arg)
{
	char answer;

	if (recv(ends[0], &answer, 1, 0) < 0) {
		assert(errno == EAGAIN);
		given_up = 1;
	}
	return arg;
}

static void *ignore(void *arg)
{
	asked = 1;
	return arg;
}

int main(void)
{
	const struct timeval limit = { .tv_usec = 10000 };
	pthread_t threads[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	pthread_create(&threads[0], NULL, ask, NULL);
	pthread_create(&threads[1], NULL, ignore, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(asked && given_up);
	return 0;
}
