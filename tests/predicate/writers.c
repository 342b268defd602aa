/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static volatile int x;
static int times;

static void *writer(void *arg)
{
	for (int i = 0; i < times; i++)
		x = (int)(long)arg * 10 + i;
	return NULL;
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t threads[8];

	times = n == 2 ? 2 : 1;
	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, writer, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	assert(x >= 0);
	return 0;
}
