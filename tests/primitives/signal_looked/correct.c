/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread looks again and again whether a signal is there, without waiting. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static sigset_t set;

static void *receive(void *arg)
{
	static const struct timespec at_once;

	while (sigtimedwait(&set, NULL, &at_once) != SIGUSR1)
		sched_yield();
	return arg;
}

int main(void)
{
	pthread_t thread;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, receive, NULL);
	assert(pthread_kill(thread, SIGUSR1) == 0);
	pthread_join(thread, NULL);
	return 0;
}
