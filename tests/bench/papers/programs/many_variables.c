/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads touch each of argv[1] variables argv[2] times. There is no bug: how many schedules are there within a bound? */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#define MOST 32

static int variables, times;
static volatile int all[MOST];

static void *worker(void *arg)
{
	(void)arg;
	for (int i = 0; i < variables; i++)
		for (int k = 0; k < times; k++)
			all[i] = k;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	variables = argc > 1 ? atoi(argv[1]) % (MOST + 1) : 1;
	times = argc > 2 ? atoi(argv[2]) : 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
