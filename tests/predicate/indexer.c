/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SIZE 128
#define MAX 4

static atomic_int table[SIZE];

static void *insert(void *arg)
{
	int tid = *(int *)arg, m = 0, w, h;

	for (;;) {
		int expected = 0;

		if (m >= MAX)
			return NULL;
		w = ++m * 11 + tid;
		h = (w * 7) % SIZE;
		if (h < 0)
			assert(0);
		while (!atomic_compare_exchange_strong(&table[h], &expected, w)) {
			expected = 0;
			h = (h + 1) % SIZE;
		}
	}
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 11;
	pthread_t threads[64];
	int tids[64];

	for (int i = 0; i < n; i++) {
		tids[i] = i;
		pthread_create(&threads[i], NULL, insert, &tids[i]);
	}
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
