/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a handler shares with the thread is touched with the signal blocked. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static volatile int a, b;
static volatile int seen_half;
static sigset_t set;

static void handle(int number)
{
	(void)number;
	if (a != b)
		seen_half = 1;
}

static void *work(void *arg)
{
	(void)arg;
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	a = 1;
	b = 1;
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	signal(SIGUSR1, handle);
	pthread_create(&thread, NULL, work, NULL);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	assert(!seen_half);
	return 0;
}
