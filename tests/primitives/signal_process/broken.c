/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks whether the signal has come, then waits for it: it may come in between. */
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
	pthread_t thread;

	signal(SIGUSR2, handle);
	pthread_create(&thread, NULL, send, NULL);
	if (!handled)
		pause();
	pthread_join(thread, NULL);
	return 0;
}
