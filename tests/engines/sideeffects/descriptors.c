/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes descriptors of every kind and leaves them open, with something in them: the next run must find none. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include "common.h"

static int pipes[2], pair[2], counter, timer, many, signals, file, twice, again;
static char got;

static void first(void)
{
	if (pipe(pipes) || write(pipes[1], "p", 1) != 1)
		abort();
}

static void second(void)
{
}

static void make(void)
{
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
		abort();
	counter = eventfd(0, EFD_NONBLOCK);
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	many = epoll_create1(0);
	signals = signalfd(-1, &usr1, 0);
	file = memfd_create("effect", 0);
	twice = dup(file);
	again = fcntl(pipes[0], F_DUPFD, 40);
}

static void fill(void)
{
	const struct itimerspec soon = {.it_value = {0, 1000}};
	const uint64_t one = 1;

	if (write(counter, &one, sizeof(one)) != sizeof(one) || write(pair[1], "s", 1) != 1 || write(file, "f", 1) != 1 ||
	    timerfd_settime(timer, 0, &soon, NULL) ||
	    epoll_ctl(many, EPOLL_CTL_ADD, timer, &(struct epoll_event){.events = EPOLLIN}))
		abort();
}

static int good(void)
{
	struct epoll_event event;
	uint64_t n = 0;

	make();
	fill();
	if (read(again, &got, 1) != 1 || got != 'p' || read(pair[0], &got, 1) != 1 || got != 's')
		return 0;
	if (read(pair[0], &got, 1) != -1 || read(counter, &n, sizeof(n)) != sizeof(n) || n != 1)
		return 0;
	if (epoll_wait(many, &event, 1, -1) != 1 || lseek(twice, 0, SEEK_CUR) != 1 || close(signals))
		return 0;
	return pipes[0] == 3 && again == 40 && twice == file + 1;
}
