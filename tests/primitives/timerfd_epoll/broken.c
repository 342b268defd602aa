/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timer among the descriptors of an epoll, without a time-out of its own. When it goes off the other thread is taken to be done. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static atomic_int done;

static void *work(void *arg)
{
	(void)arg;
	atomic_store(&done, 1);
	return NULL;
}

int main(void)
{
	const struct itimerspec soon = {.it_value = {.tv_sec = 5}};
	struct epoll_event event = {.events = EPOLLIN}, got;
	const int epoll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
	pthread_t thread;
	uint64_t times;

	pthread_create(&thread, NULL, work, NULL);
	assert(epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event) == 0 && timerfd_settime(timer, 0, &soon, NULL) == 0);
	assert(epoll_wait(epoll, &got, 1, -1) == 1);
	assert(read(timer, &times, sizeof(times)) == sizeof(times) && times == 1);
	assert(atomic_load(&done) == 1);
	pthread_join(thread, NULL);
	return 0;
}
