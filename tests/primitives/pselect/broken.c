/* SPDX-License-Identifier: GPL-2.0-or-later */
/* With select() the signal may come between the look and the wait. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/select.h>

static volatile sig_atomic_t stop;

static void handle(int number)
{
	(void)number;
	stop = 1;
}

static void *send(void *arg)
{
	pthread_kill(*(pthread_t *)arg, SIGUSR1);
	return NULL;
}

int main(void)
{
	pthread_t thread, self = pthread_self();

	signal(SIGUSR1, handle);
	pthread_create(&thread, NULL, send, &self);
	while (!stop)
		select(0, NULL, NULL, NULL, NULL);
	pthread_join(thread, NULL);
	return 0;
}
