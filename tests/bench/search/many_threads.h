/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program with many shapes of bugs: PROGRAM SHAPE N. */
#ifndef MANY_THREADS_H
#define MANY_THREADS_H

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST 101
#define ALL(i) for (int i = 0; i < n; i++)

static int n; /* about so many threads */
static pthread_t threads[2 * MOST];
static int started;

static void start(void *(*f)(void *), long i)
{
	pthread_create(&threads[started++], NULL, f, (void *)i);
}

static void join_all(void)
{
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

struct shape {
	const char *name;
	void (*run)(void);
};

static int run_shape(const struct shape *shapes, size_t n_shapes, int argc, char **argv)
{
	n = argc > 2 ? atoi(argv[2]) : 2;
	n = n < 1 ? 1 : n < MOST ? n : MOST - 1;
	for (size_t i = 0; argc > 1 && i < n_shapes; i++)
		if (!strcmp(argv[1], shapes[i].name)) {
			shapes[i].run();
			return 0;
		}
	return 2;
}

#endif /* MANY_THREADS_H */
