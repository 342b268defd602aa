/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Correct: two phases with a barrier between them. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t phase;
static int part[2];

static void *work(void *arg)
{
	const int self = (int)((int *)arg - part);

	part[self] = self + 1;
	pthread_barrier_wait(&phase);
	assert(part[0] + part[1] == 3);
	pthread_barrier_wait(&phase);
	part[self] = 0;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&phase, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &part[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&phase);
	return 0;
}
