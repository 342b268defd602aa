/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * works_long FREES: three threads sort numbers of their own, and count themselves at the end, without a lock. Each
 * frees so many blocks besides.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 3
#define NUMBERS 3000u

static int finished; /* racy */
static unsigned long frees;

static unsigned long sorted(unsigned seed)
{
	unsigned *a = malloc(NUMBERS * sizeof(*a));
	unsigned long sum = 0;

	for (unsigned i = 0; a && i < NUMBERS; i++) {
		unsigned at = i;

		seed = seed * 1103515245u + 12345u;
		a[i] = seed >> 16;
		for (; at > 0 && a[(at - 1) / 2] < a[at]; at = (at - 1) / 2) { /* a heap */
			const unsigned other = a[(at - 1) / 2];

			a[(at - 1) / 2] = a[at];
			a[at] = other;
		}
	}
	for (unsigned i = 0; a && i < NUMBERS; i++)
		sum += a[i] ^ i;
	free(a);
	for (unsigned long i = 0; i < frees; i++) {
		unsigned *block = malloc(sizeof(*block));

		sum += *block = seed;
		free(block);
	}
	return sum;
}

static void *work(void *arg)
{
	unsigned long *sum = arg;
	int before;

	*sum = sorted((unsigned)*sum);
	before = finished;
	finished = before + 1;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	unsigned long sums[THREADS];

	frees = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	for (unsigned i = 0; i < THREADS; i++) {
		sums[i] = i + 1;
		pthread_create(&threads[i], NULL, work, &sums[i]);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (finished != THREADS) {
		fprintf(stderr, "%d have finished\n", finished);
		return 1;
	}
	return 0;
}
