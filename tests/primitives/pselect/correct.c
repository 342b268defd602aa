/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pselect() opens the mask only while it waits. */
#include <assert.h>
#include <errno.h>
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
	sigset_t set, none;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR1, handle);
	pthread_create(&thread, NULL, send, &self);
	while (!stop)
		assert(pselect(0, NULL, NULL, NULL, NULL, &none) == -1 && errno == EINTR);
	pthread_join(thread, NULL);
	return 0;
}
