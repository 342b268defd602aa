/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs of table 1 share. Nothing here is instrumented, so that it adds no operation and no variable.
 *
 *   table1_begin(argc, argv)  argv[1]: the number of a shuffle, 0 or none: as written
 *   place(kind, i, n)         where number i of n goes in this shuffle: which worker is created i-th, which of some equal
 *                             variables plays which part
 *   work(me, of, n)           touches those of n variables that are the thread's own: for the rest of the original program. This is
 *                             instrumented like any code. With argv[2] "shared" it also touches those of the next thread
 *   linger(n)                 takes a moment, so that a free run passes
 *
 * Main keeps the threads' handles on its stack: pthread_create() writes them for it, which is told of memory that others
 * can come to, and would be a variable each.
 */
#ifndef TABLE1_H
#define TABLE1_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define QUIET __attribute__((no_sanitize_thread, noinline, unused))

static uint64_t table1_seed;
static int table1_shared;

QUIET static void table1_begin(int argc, char **argv)
{
	table1_seed = 0;
	for (const char *p = argc > 1 ? argv[1] : ""; *p; p++) /* strtoull() would be seen to read a variable more */
		table1_seed = table1_seed * 10 + (uint64_t)(*p - '0');
	table1_shared = argc > 2 && argv[2][0] == 's';
}

QUIET static uint64_t table1_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* The i-th of a permutation of 0 .. n-1: how many have a smaller hash. */
QUIET static int place(int kind, int i, int n)
{
	const uint64_t key = (table1_seed << 16) + (uint64_t)(kind << 12);
	const uint64_t mine = table1_mix(key + (uint64_t)i);
	int smaller = 0;

	if (!table1_seed)
		return i;
	for (int k = 0; k < n; k++)
		smaller += table1_mix(key + (uint64_t)k) < mine;
	return smaller;
}

QUIET static void linger(int n)
{
	for (int i = 0; i < n * 100000; i++)
		__asm__ volatile("");
}

static volatile int work_done[8192];

QUIET static int is_shared(void)
{
	return table1_shared;
}

__attribute__((unused)) static void work(int me, int of, int n)
{
	const int parts = is_shared() ? 2 : 1;

	for (int part = 0; part < parts; part++)
		for (int i = (me + part) % of; i < n; i += of)
			work_done[i]++;
}

QUIET static void *number(int i)
{
	return (void *)(intptr_t)i;
}

/* Create n workers, the i-th with number place(0, i, n). */
QUIET static void start_all(pthread_t *threads, int n, void *(*work)(void *))
{
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, number(place(0, i, n)));
}

QUIET static void join_all(pthread_t *threads, int n)
{
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

#endif /* TABLE1_H */
