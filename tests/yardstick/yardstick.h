/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the yardstick programs share: threads numbered from 0, and the number on the command line. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define MOST 64

static inline int number(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 0;

	assert(n > 0 && n <= MOST);
	return n;
}

static inline int me(void *arg)
{
	return (int)(intptr_t)arg;
}

static inline void start(pthread_t *thread, void *(*run)(void *), int i)
{
	assert(pthread_create(thread, NULL, run, (void *)(intptr_t)i) == 0);
}

static inline void run_all(int n, void *(*run)(void *))
{
	pthread_t threads[MOST];

	for (int i = 0; i < n; i++)
		start(&threads[i], run, i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}
