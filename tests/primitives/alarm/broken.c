/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alarm() and pause(): if the alarm rings before the pause, the pause never ends. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile int turns;

static void ring(int number)
{
	(void)number;
}

static void *work(void *arg)
{
	(void)arg;
	turns = turns + 1;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	signal(SIGALRM, ring);
	pthread_create(&thread, NULL, work, NULL);
	alarm(1);
	turns = turns + 1;
	pause();
	pthread_join(thread, NULL);
	return 0;
}
