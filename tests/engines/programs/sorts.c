/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two threads sort a half of a block each. They read the same again and again, so that at some reading they are assumed
 * to spin; at which one depends on addresses, and large blocks are elsewhere on another engine.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { HALF = 12000, ROOM = 1 << 20 };

static int *numbers;

/* C. Hoare's partition: the pivot is read again at each step. */
static int *split(int *lo, int *hi)
{
	int *pivot = lo, *from = lo, *to = hi;

	for (;;) {
		while (*++from < *pivot && from < hi - 1)
			;
		while (*pivot < *--to)
			;
		if (from >= to)
			break;
		const int kept = *from;

		*from = *to;
		*to = kept;
	}
	const int kept = *pivot;

	*pivot = *to;
	*to = kept;
	return to;
}

static void sort(int *lo, int *hi)
{
	while (hi - lo > 1) {
		int *at = split(lo, hi);

		sort(at + 1, hi);
		hi = at;
	}
}

static void *sort_half(void *arg)
{
	int *lo = numbers + HALF * (intptr_t)arg;

	sort(lo, lo + HALF);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	uint64_t x = 1;
	int wrong = 0;

	numbers = malloc(ROOM);
	for (int i = 0; i < 2 * HALF; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		numbers[i] = (int)(x >> 33);
	}
	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, sort_half, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < 2 * HALF; i++)
		wrong += i != HALF && numbers[i - 1] > numbers[i];
	printf("%d\n", wrong);
	free(numbers);
	return 0;
}
