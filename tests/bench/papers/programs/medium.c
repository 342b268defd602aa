/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Medium compute: two threads make argv[1] thousand accesses together to arrays of their own, and each adds to one variable without a lock: once, or
 * argv[2] times, and then nobody looks what comes of it. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#define WORKERS 2
#define ROOM 4096

static long accesses;
static volatile long additions;
static volatile int count;
static int *work[WORKERS];

static long compute(int *data, long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++) {
		int *at = &data[(unsigned long)(i * 7 + sum) % ROOM];

		*at = (int)(*at * 5 + i); /* read and written */
		sum = *at & 15;
	}
	return sum;
}

static void *worker(void *arg)
{
	const long each = accesses / WORKERS / 2 / additions;

	for (long i = 0; i < additions; i++) {
		compute(arg, each);
		count++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[WORKERS];

	accesses = (argc > 1 ? atol(argv[1]) : 1000) * 1000;
	additions = argc > 2 ? atol(argv[2]) : 1;
	for (int i = 0; i < WORKERS; i++)
		work[i] = calloc(ROOM, sizeof(int));
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, worker, work[i]);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	assert(additions > 1 || count == WORKERS);
	return 0;
}
