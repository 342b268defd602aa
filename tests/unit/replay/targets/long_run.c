/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads that do as much for themselves as the argument says, thousands of accesses, and meet at places of which
 * some are seen to be shared only once others are looked at: each is reached through the one before. */
#include <pthread.h>
#include <stdlib.h>

enum { CELLS = 1000, ROUNDS = 40 };

static volatile int shared[ROUNDS];
static long thousands;

#define MEET(i) (shared[i] = shared[i] + 1)
#define MEET4(i) MEET(i), MEET((i) + 1), MEET((i) + 2), MEET((i) + 3)

static void *worker(void *arg)
{
	volatile int *own = calloc(CELLS, sizeof(*own));

	for (long k = 0; k < thousands; k++)
		for (int i = 0; i < CELLS; i++)
			own[i] = (int)k;
	MEET4(0), MEET4(4), MEET4(8), MEET4(12);
	for (int i = 16; i < ROUNDS; i++)
		shared[i] += own[i];
	free((void *)own);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	thousands = argc > 1 ? atol(argv[1]) : 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
