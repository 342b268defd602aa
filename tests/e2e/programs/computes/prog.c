// SPDX-License-Identifier: GPL-2.0-or-later
// Three workers smooth a grid each, 1.5 million accesses to what is their own; two of them count a rare thing
// without a lock.
#include <assert.h>
#include <pthread.h>

#define SIDE 64
#define ROUNDS 60

static double grid[3][SIDE * SIDE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds_done;
static int finished;

static void smooth(double *cells)
{
	for (int i = 0; i < SIDE * SIDE; i++)
		cells[i] = cells[i] * 0.5 + i;
}

static void *work(void *arg)
{
	const long me = (long)arg;

	for (int round = 0; round < ROUNDS; round++) {
		smooth(grid[me]);
		if (round % 4)
			continue;
		pthread_mutex_lock(&lock);
		rounds_done++;
		pthread_mutex_unlock(&lock);
	}
	if (me < 2)
		finished++;
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(rounds_done == 3 * ROUNDS / 4);
	assert(finished == 2);
	return 0;
}
