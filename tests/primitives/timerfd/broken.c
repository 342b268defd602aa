/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By the time the timer goes off the worker is taken to have written. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static volatile int done;

static void *work(void *arg)
{
	(void)arg;
	done = 1;
	return NULL;
}

int main(void)
{
	const struct itimerspec span = {.it_value = {.tv_sec = 1}};
	uint64_t times;
	pthread_t thread;
	const int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	timerfd_settime(fd, 0, &span, NULL);
	pthread_create(&thread, NULL, work, NULL);
	assert(read(fd, &times, sizeof(times)) == sizeof(times));
	assert(done);
	pthread_join(thread, NULL);
	return 0;
}
