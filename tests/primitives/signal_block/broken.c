/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that waits for a signal blocks it itself: one that comes before ends the process. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static sigset_t set;

static void *work(void *arg)
{
	int number;

	(void)arg;
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sigwait(&set, &number);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pthread_create(&thread, NULL, work, NULL);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGTERM);
	pthread_join(thread, NULL);
	return 0;
}
