/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A periodic interval timer, stopped after the third time. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t rings;

static void ring(int number)
{
	(void)number;
	rings++;
}

static void *idle(void *arg)
{
	return arg;
}

int main(void)
{
	const struct itimerval every = {.it_value = {.tv_usec = 10000}, .it_interval = {.tv_usec = 10000}}, stop = {{0, 0}, {0, 0}};
	sigset_t set, none;
	pthread_t thread;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGALRM, ring);
	pthread_create(&thread, NULL, idle, NULL);
	assert(setitimer(ITIMER_REAL, &every, NULL) == 0);
	while (rings < 3)
		sigsuspend(&none);
	assert(setitimer(ITIMER_REAL, &stop, NULL) == 0);
	pthread_join(thread, NULL);
	return 0;
}
