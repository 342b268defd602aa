/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timer is set to a time by which the work is taken to be done. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static volatile int done;

static void check(int number)
{
	(void)number;
	assert(done);
}

static void *work(void *arg)
{
	(void)arg;
	done = 1;
	return NULL;
}

int main(void)
{
	const struct itimerspec span = {.it_value = {.tv_sec = 1}}, stop = {{0, 0}, {0, 0}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	pthread_t thread;
	timer_t timer;

	signal(SIGUSR1, check);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &span, NULL);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	timer_settime(timer, 0, &stop, NULL);
	return 0;
}
