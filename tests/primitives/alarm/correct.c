/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alarm() and pause(), with the signal blocked in between, and a worker. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t rang;

static void ring(int number)
{
	(void)number;
	rang = 1;
}

static void *work(void *arg)
{
	(void)arg;
	sleep(1);
	return NULL;
}

int main(void)
{
	sigset_t set, none;
	pthread_t thread;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGALRM, ring);
	alarm(5);
	pthread_create(&thread, NULL, work, NULL);
	sigsuspend(&none);
	assert(rang);
	pthread_join(thread, NULL);
	return 0;
}
