/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two phases, one serial thread. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t phase;
static int part[2], serial[2];

static void *first(void *arg)
{
	(void)arg;
	part[0] = 1;
	serial[0] = pthread_barrier_wait(&phase) == PTHREAD_BARRIER_SERIAL_THREAD;
	assert(part[1] == 2);
	return NULL;
}

static void *second(void *arg)
{
	(void)arg;
	part[1] = 2;
	serial[1] = pthread_barrier_wait(&phase) == PTHREAD_BARRIER_SERIAL_THREAD;
	assert(part[0] == 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&phase, NULL, 2);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(serial[0] + serial[1] == 1);
	pthread_barrier_destroy(&phase);
	return 0;
}
