/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A non-blocking receive that is taken to succeed. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>

static int ends[2];

static void *ask(void *arg)
{
	(void)arg;
	assert(send(ends[0], "q", 1, 0) == 1);
	return NULL;
}

static void *reply(void *arg)
{
	char question;

	(void)arg;
	assert(recv(ends[1], &question, 1, MSG_DONTWAIT) == 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return 77;
	pthread_create(&threads[0], NULL, ask, NULL);
	pthread_create(&threads[1], NULL, reply, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
