/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recv that does not wait is taken to wait: it comes back with nothing if the sender has not run yet. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *send_byte(void *arg)
{
	(void)arg;
	assert(send(ends[1], "x", 1, 0) == 1);
	return NULL;
}

static void *receive(void *arg)
{
	char byte;

	(void)arg;
	assert(recv(ends[0], &byte, 1, MSG_DONTWAIT) == 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return 77;
	pthread_create(&threads[0], NULL, send_byte, NULL);
	pthread_create(&threads[1], NULL, receive, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
