/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is left of a time-out: select() says it, pselect() and poll() do not; a socket gives up after its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int fds[2], ends[2];

static void *later(void *arg)
{
	usleep(300000);
	write(fds[1], "x", 1);
	return arg;
}

static void selects(void)
{
	struct timeval limit = { .tv_usec = 20000 };
	struct timespec same = { .tv_nsec = 20000000 };
	fd_set set;

	printf("select: %d, ", select(0, NULL, NULL, NULL, &limit));
	printf("left: %d\n", limit.tv_sec || limit.tv_usec);
	printf("pselect: %d, ", pselect(0, NULL, NULL, NULL, &same, NULL));
	printf("left: %ld\n", same.tv_nsec);
	limit = (struct timeval){ .tv_sec = 100 };
	FD_ZERO(&set);
	FD_SET(fds[0], &set);
	printf("select of a pipe: %d, ", select(fds[0] + 1, &set, NULL, NULL, &limit));
	printf("left: less than before: %d, nearly all: %d\n", limit.tv_sec < 100, limit.tv_sec > 80);
}

static void sockets(void)
{
	const struct timeval limit = { .tv_usec = 20000 };
	char buf[1];

	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	printf("recv: %d, ", recv(ends[0], buf, 1, 0) < 0 && errno == EAGAIN);
	printf("read: %d\n", read(ends[0], buf, 1) < 0 && errno == EAGAIN);
	send(ends[1], "y", 1, 0);
	printf("recv of something: %zd\n", recv(ends[0], buf, 1, 0));
}

static void refused(void)
{
	const struct timespec bad = { 0, 1000000000 };
	sigset_t set;

	sigemptyset(&set);
	printf("ppoll until no time: %d\n", ppoll(NULL, 0, &bad, NULL) < 0 && errno == EINVAL);
	printf("sigtimedwait until no time: %d\n", sigtimedwait(&set, NULL, &bad) < 0 && errno == EINVAL);
}

int main(void)
{
	pthread_t t;

	pipe(fds);
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	pthread_create(&t, NULL, later, NULL);
	selects();
	pthread_join(t, NULL);
	sockets();
	refused();
	return 0;
}
