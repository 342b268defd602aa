/* SPDX-License-Identifier: GPL-2.0-or-later */
/* poll, select and epoll_wait with a time-out of nothing are taken to wait: each answers at once, although the sender could run. */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

static int ends[2], epoll;

static void *send(void *arg)
{
	(void)arg;
	assert(write(ends[1], "x", 1) == 1);
	return NULL;
}

static void *receive(void *arg)
{
	struct pollfd one = { .fd = ends[0], .events = POLLIN };
	struct epoll_event event;
	struct timeval none = { 0 };
	fd_set set;
	int found;

	(void)arg;
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	found = poll(&one, 1, 0);
	found += select(ends[0] + 1, &set, NULL, NULL, &none);
	found += epoll_wait(epoll, &event, 1, 0);
	assert(found);
	return NULL;
}

int main(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	pthread_t threads[2];

	epoll = epoll_create1(0);
	if (pipe(ends) != 0 || epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) != 0)
		return 77;
	pthread_create(&threads[0], NULL, receive, NULL);
	pthread_create(&threads[1], NULL, send, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
