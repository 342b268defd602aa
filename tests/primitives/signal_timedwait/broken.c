/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program takes it for granted that the signal is faster than the deadline. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static sigset_t set;

static void *receive(void *arg)
{
	const struct timespec span = {.tv_sec = 1};

	(void)arg;
	assert(sigtimedwait(&set, NULL, &span) == SIGUSR1);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, receive, NULL);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	return 0;
}
