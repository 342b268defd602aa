/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Manager: five threads return the blocks that they were given. How many are free is counted without the lock. */
#include <assert.h>

#include "../table1.h"

#define WORKERS 5

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int taken[WORKERS], returned;
static int free_blocks;

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	work(me, WORKERS, 17);
	pthread_mutex_lock(&lock);
	taken[me] = 0;
	returned++;
	pthread_mutex_unlock(&lock);
	free_blocks++; /* here */
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[WORKERS];

	table1_begin(argc, argv);
	for (int i = 0; i < WORKERS; i++)
		taken[i] = 1;
	start_all(workers, WORKERS, worker);
	join_all(workers, WORKERS);
	for (int i = 0; i < WORKERS; i++)
		assert(!taken[i]);
	assert(free_blocks == WORKERS);
	return 0;
}
