/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads, and what two libraries (library.c) have registered for the end. With the argument `helper` one of them
 * has a thread of its own then. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void start_helper(void);

static int sum;

static void say(void)
{
	printf("program: %d\n", sum);
}

static void *adder(void *arg)
{
	(void)arg;
	sum++;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	(void)argv;
	atexit(say);
	if (argc > 1)
		start_helper();
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, adder, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
