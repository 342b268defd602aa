/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MergeSortBug: threads share a budget of further threads; it is looked at and taken from in two steps. */
#include <assert.h>

#include "../table1.h"

#define WORKERS 28

static int budget = WORKERS - 1;

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	work(me, WORKERS, 51);
	if (me == place(1, 0, WORKERS) || me == place(1, 1, WORKERS)) {
		if (budget > WORKERS - 3)
			budget = budget - 1; /* here */
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[WORKERS];

	table1_begin(argc, argv);
	start_all(workers, WORKERS, worker);
	join_all(workers, WORKERS);
	assert(budget == WORKERS - 3);
	return 0;
}
