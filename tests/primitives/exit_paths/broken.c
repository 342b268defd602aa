/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread calls exit(1) when it sees the other one half-way. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static volatile int step;

static void *work(void *arg)
{
	(void)arg;
	step = 1;
	step = 2;
	return NULL;
}

static void *watch(void *arg)
{
	(void)arg;
	if (step == 1)
		exit(1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, watch, NULL);
	pthread_create(&threads[1], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
