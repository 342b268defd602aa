/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two variables, one of them touched argv[1] times as often. The rare one has the bug: a lost update, (1,1,2). */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static int times;
static volatile int rare, frequent;

static void *worker(void *arg)
{
	(void)arg;
	for (int i = 0; i < times; i++)
		frequent = i;
	rare++;
	for (int i = 0; i < times; i++)
		frequent = i;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	times = argc > 1 ? atoi(argv[1]) : 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(rare == 2);
	return 0;
}
