/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BubbleSort2: a hundred threads make one pass each over a list, under one lock; the one that was started last looks whether it is sorted, and takes
 * it that the others have made theirs. */
#include "../fair.h"

#define WORKERS 100
#define CELLS 50
#define SWAPS_MAX (CELLS * CELLS)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cells[CELLS], moved[CELLS];
static int passes, swaps;

static void swap(int i)
{
	const int value = cells[i];

	cells[i] = cells[i + 1];
	cells[i + 1] = value;
	moved[i]++;
	swaps++;
	assert(swaps < SWAPS_MAX);
}

static void pass(void)
{
	for (int i = 0; i + 1 < CELLS; i++)
		if (cells[i] > cells[i + 1])
			swap(i);
	passes++;
}

static bool is_sorted(void)
{
	for (int i = 0; i + 1 < CELLS; i++)
		if (cells[i] > cells[i + 1])
			return false;
	return true;
}

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	if (me == WORKERS - 1)
		linger(2000);
	pthread_mutex_lock(&lock);
	pass();
	if (me == WORKERS - 1)
		assert(is_sorted());
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[WORKERS];

	table1_begin(argc, argv);
	for (int i = 0; i < CELLS; i++)
		cells[i] = (CELLS - i) * 7 % CELLS;
	start_all(workers, WORKERS, worker);
	join_all(workers, WORKERS);
	assert(is_sorted());
	assert(passes == WORKERS);
	return 0;
}
