/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Table 4 of [CVT13]: a bug of type (c, v, t) in a program of eight threads and many shared variables. Arguments: c, t, variables, rounds.
 *
 * All workers touch all variables. Between two halves of that the first reads `bug`, and t - 1 others write it, in the shapes of the paper's figures 1 and 8
 * (c = 0), 2 and 9 (c = 1) and 3 (c = 2). */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#define WORKERS 7
#define MOST 1024

static volatile int touched[MOST], bug;
static int stops, writers, variables, rounds;

static void touch_all(void)
{
	for (int i = 0; i < rounds; i++)
		for (int k = 0; k < variables; k++)
			touched[k]++;
}

static void *reader(void *arg)
{
	int first;

	touch_all();
	first = bug;
	if (stops == 0)
		assert(first != writers);
	else if (stops == 1)
		assert(bug <= first + writers - 1);
	else
		assert(bug == first);
	touch_all();
	return arg;
}

static void *writer(void *arg)
{
	touch_all();
	if (stops == 2) {
		bug = 1;
		bug = 0;
	} else {
		bug++;
	}
	touch_all();
	return arg;
}

static void *other(void *arg)
{
	touch_all();
	touch_all();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[WORKERS];

	if (argc != 5)
		return 2;
	stops = atoi(argv[1]);
	writers = atoi(argv[2]) - 1;
	variables = atoi(argv[3]) < MOST ? atoi(argv[3]) : MOST;
	rounds = atoi(argv[4]);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, i == 0 ? reader : i <= writers ? writer : other, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
