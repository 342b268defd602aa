/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals below SIGRTMIN do not queue: of two that nobody has taken yet, one is left. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static sigset_t set;

static void *receive(void *arg)
{
	int got;

	(void)arg;
	for (int i = 0; i < 2; i++)
		sigwait(&set, &got);
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
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	return 0;
}
