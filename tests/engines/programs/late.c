/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * late readers: a writer tells each of three readers that a word is there. They do not know of each other, but all of
 * the write. A fourth one waits for nobody and comes so late that it nearly always reads the same.
 *
 * late freed: a thread reads from a block that was freed before there were threads, which it has not touched so far.
 *
 * late own: a thread reads from a block that it has freed itself.
 *
 * late block: a thread frees a block to which another one has written; nothing but time has told it so.
 *
 * late many: the last of more threads than have a row of what they know (sched/stretches/order.c) reads a word. Nothing
 * but time says that it is there.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READERS = 3, STEPS = 60, MANY = 66 };

static sem_t there[READERS];
static long word, sums[MANY];
static atomic_int steps;

static void *wait_long(void *unused)
{
	int seen = 0;

	for (int i = 0; i < STEPS; i++)
		atomic_compare_exchange_weak(&steps, &seen, seen + 1); /* always told, whoever comes here */
	return unused;
}

/* ---- readers */

static void *write_it(void *unused)
{
	word = 7;
	for (int i = 0; i < READERS; i++)
		sem_post(&there[i]);
	return unused;
}

static void *read_it(void *arg)
{
	const long i = (long)arg;

	sem_wait(&there[i]);
	sums[i] = word;
	return NULL;
}

static void *read_late(void *unused)
{
	wait_long(NULL);
	sums[READERS] = word;
	return unused;
}

static void readers(void)
{
	pthread_t threads[READERS + 2];
	long sum = 0;

	for (long i = 0; i < READERS; i++) {
		sem_init(&there[i], 0, 0);
		pthread_create(&threads[i], NULL, read_it, (void *)i);
	}
	pthread_create(&threads[READERS], NULL, write_it, NULL);
	pthread_create(&threads[READERS + 1], NULL, read_late, NULL);
	for (int i = 0; i < READERS + 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < READERS + 1; i++)
		sum += sums[i];
	printf("%ld\n", sum);
}

/* ---- blocks */

static long *volatile block;

static void *read_block(void *unused)
{
	for (int i = 0; i < READERS; i++)
		sums[i] = i;
	printf("%d\n", block[2] == 7);
	return unused;
}

static void *read_own(void *unused)
{
	long *volatile mine = malloc(64);

	mine[2] = 7;
	free(mine);
	printf("%d\n", mine[2] == 7);
	return unused;
}

static void *write_block(void *unused)
{
	block[0] = 1;
	block[2] = 7;
	return unused;
}

static void *free_late(void *unused)
{
	wait_long(NULL);
	free(block);
	return unused;
}

static void two(void *(*first)(void *), void *(*second)(void *))
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

/* ---- many */

static void *one_of_many(void *arg)
{
	const long i = (long)arg;

	if (i == MANY - 1)
		wait_long(NULL);
	sums[i] = i < MANY - 1 ? i : word;
	return NULL;
}

static void many(void)
{
	pthread_t threads[MANY];

	for (long i = 0; i < MANY; i++)
		pthread_create(&threads[i], NULL, one_of_many, (void *)i);
	word = 7;
	for (int i = 0; i < MANY; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", sums[MANY - 1]);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	block = malloc(64);
	if (!strcmp(name, "freed")) {
		block[2] = 7;
		free(block);
		two(read_block, wait_long);
	} else if (!strcmp(name, "own")) {
		two(read_own, wait_long);
	} else if (!strcmp(name, "block")) {
		two(write_block, free_late);
	} else if (!strcmp(name, "many")) {
		many();
	} else {
		readers();
	}
	return 0;
}
