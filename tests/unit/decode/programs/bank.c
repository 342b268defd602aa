/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads move money between accounts under one lock; a heap block for every transfer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ACCOUNTS 8
#define THREADS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance[ACCOUNTS];
static int rounds;

struct transfer {
	int from, to;
	long amount;
};

static void *move(void *arg)
{
	const long id = (long)arg;

	for (int i = 0; i < rounds; i++) {
		struct transfer *t = malloc(sizeof(*t));

		t->from = (int)((i * 7 + id) % ACCOUNTS);
		t->to = (int)((i * 3 + id * 5) % ACCOUNTS);
		pthread_mutex_lock(&lock);
		t->amount = balance[t->from] / 2;
		balance[t->from] -= t->amount;
		balance[t->to] += t->amount;
		pthread_mutex_unlock(&lock);
		free(t);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	long sum = 0;

	rounds = argc > 1 ? atoi(argv[1]) : 10;
	for (int i = 0; i < ACCOUNTS; i++)
		balance[i] = 100;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, move, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < ACCOUNTS; i++)
		sum += balance[i];
	printf("%ld\n", sum);
	return sum != 100 * ACCOUNTS;
}
