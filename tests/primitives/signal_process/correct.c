/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A signal to the process comes to the one thread that does not block it. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void handle(int number)
{
	handled = number;
}

static void *send(void *arg)
{
	(void)arg;
	kill(getpid(), SIGUSR2);
	return NULL;
}

int main(void)
{
	sigset_t set, none;
	pthread_t thread;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	signal(SIGUSR2, handle);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, send, NULL);
	while (!handled)
		sigsuspend(&none);
	pthread_join(thread, NULL);
	assert(handled == SIGUSR2);
	return 0;
}
