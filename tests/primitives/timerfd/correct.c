/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timer descriptor polled together with a pipe; a copy of it goes on when it is closed. */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int ends[2];

static void *work(void *arg)
{
	(void)arg;
	assert(write(ends[1], "x", 1) == 1);
	return NULL;
}

int main(void)
{
	const struct itimerspec span = {.it_value = {.tv_sec = 5}};
	struct pollfd fds[2] = {{.events = POLLIN}, {.events = POLLIN}};
	uint64_t times = 0;
	pthread_t thread;
	int copy;
	char got;

	assert(pipe(ends) == 0);
	fds[0].fd = timerfd_create(CLOCK_MONOTONIC, 0);
	fds[1].fd = ends[0];
	assert(timerfd_settime(fds[0].fd, 0, &span, NULL) == 0);
	pthread_create(&thread, NULL, work, NULL);
	assert(poll(fds, 2, -1) >= 1);
	pthread_join(thread, NULL);
	assert(read(ends[0], &got, 1) == 1);
	assert(read(fds[0].fd, &times, sizeof(times)) == sizeof(times) && times == 1);
	copy = dup(fds[0].fd);
	close(fds[0].fd);
	assert(timerfd_settime(copy, 0, &span, NULL) == 0);
	assert(read(copy, &times, sizeof(times)) == sizeof(times) && times == 1);
	close(copy);
	return 0;
}
