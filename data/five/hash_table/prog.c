/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table with open addressing: a slot is looked at, then taken, with nothing to hold it in between. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define SLOTS 32
#define THREADS 3
#define KEYS 4

static atomic_int slots[SLOTS];

static void insert(int key)
{
	for (int i = key * 7 % SLOTS;; i = (i + 1) % SLOTS)
		if (!atomic_load(&slots[i])) {
			atomic_store(&slots[i], key); /* here: a compare-and-swap */
			return;
		}
}

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	for (int i = 0; i < KEYS; i++)
		insert(1 + me + i * SLOTS / 2 + (i == KEYS - 1 ? 0 : me * 5 + i));
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int n = 0;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < SLOTS; i++)
		n += slots[i] != 0;
	assert(n == THREADS * KEYS);
	return 0;
}
