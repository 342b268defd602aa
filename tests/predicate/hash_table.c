/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lock-free hash table with open addressing: keys are claimed by compare-and-swap, with statistics on the side. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SIZE 16
#define THREADS 3

static atomic_int keys[SIZE];
static int values[SIZE];
static atomic_int probes, collisions;
static int each;

static unsigned hash(int key)
{
	return (unsigned)key * 2654435761u >> 28;
}

static void insert(int key, int value)
{
	unsigned at = hash(key);

	assert(at < SIZE);
	for (int step = 0; step < SIZE; step++, at = (at + 1) % SIZE) {
		int free = 0;

		atomic_fetch_add(&probes, 1);
		if (atomic_compare_exchange_strong(&keys[at], &free, key)) {
			values[at] = value;
			return;
		}
		atomic_fetch_add(&collisions, 1);
	}
}

static void *worker(void *arg)
{
	const int self = (int)(long)arg;

	for (int i = 0; i < each; i++) {
		const int key = self * 8 + i + 1;

		assert(key > 0);
		insert(key, key * 2);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	each = argc > 1 ? atoi(argv[1]) : 2;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
