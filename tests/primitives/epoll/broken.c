/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Told once of what is new (EPOLLET), but only one byte of it is taken. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <unistd.h>

static int ends[2], poller;

static void *send(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++)
		assert(write(ends[1], "x", 1) == 1);
	return NULL;
}

static void *receive(void *arg)
{
	struct epoll_event got;
	char byte;

	(void)arg;
	for (int i = 0; i < 2; i++) {
		assert(epoll_wait(poller, &got, 1, -1) == 1);
		assert(read(ends[0], &byte, 1) == 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	if (pipe(ends) != 0)
		return 77;
	poller = epoll_create1(0);
	event.data.fd = ends[0];
	if (poller < 0 || epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &event) != 0)
		return 77;
	pthread_create(&threads[0], NULL, send, NULL);
	pthread_create(&threads[1], NULL, receive, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
