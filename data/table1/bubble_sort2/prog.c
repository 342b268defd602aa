/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BubbleSort2: a hundred threads, each puts one element of a list in its place; whoever is number 0 counts on being first. */
#include <assert.h>

#include "../table1.h"

#define WORKERS 100

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int begun, placed;

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	work(me, WORKERS, 102);
	if (me == 1)
		linger(400);
	pthread_mutex_lock(&lock);
	if (me == 0)
		begun = 1;
	else if (me == 1)
		assert(begun);
	placed++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[WORKERS];

	table1_begin(argc, argv);
	start_all(workers, WORKERS, worker);
	join_all(workers, WORKERS);
	assert(placed == WORKERS);
	return 0;
}
