/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A handler updates what the thread it interrupts is just updating. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static volatile int counter, handled;

static void handle(int number)
{
	(void)number;
	counter += 1;
	handled = 1;
}

static void *add(void *arg)
{
	int seen = counter;

	(void)arg;
	counter = seen + 1;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	signal(SIGUSR1, handle);
	pthread_create(&thread, NULL, add, NULL);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	assert(counter == 1 + handled);
	return 0;
}
