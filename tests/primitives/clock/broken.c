/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two sleeps of different length instead of an order. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static volatile int order;

static void *early(void *arg)
{
	(void)arg;
	usleep(1000);
	order = 1;
	return NULL;
}

static void *late(void *arg)
{
	(void)arg;
	usleep(300000);
	assert(order == 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, early, NULL);
	pthread_create(&threads[1], NULL, late, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
