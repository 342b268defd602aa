/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads, and what two libraries (library.c) have registered for the end. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

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

int main(void)
{
	pthread_t t[2];

	atexit(say);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, adder, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
