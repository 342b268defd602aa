/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A handler that counts what the program counts. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static volatile int counter, rings;

static void ring(int number)
{
	(void)number;
	counter = counter + 1;
	rings = rings + 1;
}

static void *idle(void *arg)
{
	return arg;
}

int main(void)
{
	const struct itimerval once = {.it_value = {.tv_usec = 10000}}, stop = {{0, 0}, {0, 0}};
	pthread_t thread;
	int seen;

	signal(SIGALRM, ring);
	pthread_create(&thread, NULL, idle, NULL);
	setitimer(ITIMER_REAL, &once, NULL);
	seen = counter;
	counter = seen + 1;
	setitimer(ITIMER_REAL, &stop, NULL);
	pthread_join(thread, NULL);
	assert(counter == 1 + rings);
	return 0;
}
