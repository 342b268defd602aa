/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A POSIX timer's signal ends a pause; time is virtual, so an hour is nothing. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t rings;

static void ring(int number)
{
	(void)number;
	rings++;
}

static void *idle(void *arg)
{
	(void)arg;
	return NULL;
}

int main(void)
{
	const struct itimerspec span = {.it_value = {.tv_sec = 3600}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
	sigset_t set, none;
	pthread_t thread;
	timer_t timer;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGRTMIN, ring);
	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	assert(timer_settime(timer, 0, &span, NULL) == 0);
	pthread_create(&thread, NULL, idle, NULL);
	while (!rings)
		sigsuspend(&none);
	assert(rings == 1);
	timer_delete(timer);
	pthread_join(thread, NULL);
	return 0;
}
