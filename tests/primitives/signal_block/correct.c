/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread waits for a signal that all block, it from its birth on. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static sigset_t set;

static void *work(void *arg)
{
	int number;

	(void)arg;
	sigwait(&set, &number);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, work, NULL);
	kill(getpid(), SIGTERM);
	pthread_join(thread, NULL);
	return 0;
}
