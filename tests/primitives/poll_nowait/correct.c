/* SPDX-License-Identifier: GPL-2.0-or-later */
/* poll, select and epoll_wait with a time-out of nothing, until there is something: a loop that must not keep the sender from running. */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

static int ends[2], epoll;
static int message;

static int by_poll(void)
{
	struct pollfd one = { .fd = ends[0], .events = POLLIN };

	return poll(&one, 1, 0);
}

static int by_select(void)
{
	struct timeval none = { 0 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	return select(ends[0] + 1, &set, NULL, NULL, &none);
}

static int by_epoll(void)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, 0);
}

static void *send(void *arg)
{
	(void)arg;
	message = 7;
	assert(write(ends[1], "x", 1) == 1);
	return NULL;
}

/* One after the other: a loop for each, one behind the other, has as many orders as the three have together. */
static void *receive(void *arg)
{
	while (!by_poll() && !by_select() && !by_epoll())
		continue;
	assert(message == 7);
	return arg;
}

int main(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	pthread_t threads[2];
	char byte;

	epoll = epoll_create1(0);
	if (pipe(ends) != 0 || epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) != 0)
		return 77;
	pthread_create(&threads[0], NULL, receive, NULL);
	pthread_create(&threads[1], NULL, send, NULL);
	for (int k = 0; k < 2; k++)
		pthread_join(threads[k], NULL);
	assert(read(ends[0], &byte, 1) == 1);
	return 0;
}
