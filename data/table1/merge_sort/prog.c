/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MergeSort: a tree of threads sorts halves of an array. How many threads are at work is counted without a lock where one ends. */
#include <assert.h>

#include "../table1.h"

#define WORKERS 99
#define PER_WORKER 4
#define FIRST_LEAF (WORKERS / 2) /* in the tree of threads */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int alive, done;
static int parts[WORKERS][PER_WORKER];
static pthread_t threads[WORKERS];

static void sort(int *part)
{
	for (int i = 1; i < PER_WORKER; i++)
		for (int j = i; j > 0 && part[j - 1] > part[j]; j--) {
			const int x = part[j];

			part[j] = part[j - 1];
			part[j - 1] = x;
		}
}

/* Worker i has the children 2i + 1 and 2i + 2. */
static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	work(me, WORKERS, 66);
	for (int i = 0; i < PER_WORKER; i++)
		parts[me][i] = (me * 7 + i * 3) % 5;
	for (int side = 1; side <= 2 && 2 * me + side < WORKERS; side++) {
		const int child = 2 * me + 1 + (2 * me + 2 < WORKERS ? place(2, side - 1, 2) : 0);

		pthread_mutex_lock(&lock);
		alive++;
		pthread_mutex_unlock(&lock);
		pthread_create(&threads[child], NULL, worker, number(child));
	}
	sort(parts[me]);
	for (int child = 2 * me + 1; child <= 2 * me + 2 && child < WORKERS; child++)
		pthread_join(threads[child], NULL);
	if (me == FIRST_LEAF + place(1, 0, WORKERS - FIRST_LEAF) || me == FIRST_LEAF + place(1, 1, WORKERS - FIRST_LEAF))
		done++; /* here: the two leaves that report do not lock */
	return NULL;
}

int main(int argc, char **argv)
{
	table1_begin(argc, argv);
	pthread_create(&threads[0], NULL, worker, number(0));
	pthread_join(threads[0], NULL);
	assert(done == 2);
	return 0;
}
