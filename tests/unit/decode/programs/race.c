/* SPDX-License-Identifier: GPL-2.0-or-later */
/* No discipline at all: threads follow and swing a shared pointer, and index through a shared number, without a lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 3

struct cell {
	struct cell *volatile next;
	volatile int value;
};

static struct cell cells[8];
static struct cell *volatile cursor = cells;
static volatile unsigned place;
static volatile int table[16];
static pthread_barrier_t start; /* so that they run at the same time */
static int rounds;

static void *work(void *arg)
{
	const int id = (int)(long)arg;

	pthread_barrier_wait(&start);
	for (int i = 0; i < rounds; i++) {
		struct cell *c = cursor;

		c->value += id;
		cursor = c->next;
		place = place * 5 + (unsigned)id + 1;
		table[place % 16]++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	rounds = argc > 1 ? atoi(argv[1]) : 10;
	pthread_barrier_init(&start, NULL, THREADS);
	for (int i = 0; i < 8; i++)
		cells[i].next = &cells[(i * 3 + 1) % 8];
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
