/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program does before it makes its first thread: tables on the heap, texts, locks and atomics, clocks, random
 * numbers, a variable that it reads again and again, blocks that it frees; and afterwards threads use all of it, and
 * main waits for a flag that it has read before. `late`: it makes a second set of threads when the first is gone.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#define N 400

static int *table, shared, done;
static char *text;
static atomic_int ready, looks;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct timespec began;
static unsigned long long ticks;

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void set_up(void)
{
	void *gone = malloc(100);

	table = malloc(N * sizeof(*table));
	text = malloc(4 * N);
	for (int i = 0; i < N; i++)
		table[i] = rand() % 1000;
	qsort(table, N, sizeof(*table), by_value);
	for (int i = 0; i < 20; i++)
		snprintf(text + 4 * i, 5, "%03d;", table[i]);
	for (int i = 0; i < 30 && !atomic_load(&ready) && !done; i++)
		atomic_fetch_add(&looks, 1);
	pthread_mutex_lock(&m);
	shared = (int)strlen(text);
	pthread_mutex_unlock(&m);
	free(gone);
	clock_gettime(CLOCK_MONOTONIC, &began);
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void *works(void *data)
{
	const int who = (int)(long)data;
	const int before = shared;

	pthread_mutex_lock(&m);
	shared = before + table[who] + text[who];
	table[N - 1 - who] = shared;
	pthread_mutex_unlock(&m);
	ticks = __rdtsc();
	atomic_fetch_add(&ready, 1);
	return malloc(10);
}

static void have_threads(int n)
{
	pthread_t t[3];
	void *block;

	atomic_store(&ready, 0);
	for (int i = 0; i < n; i++)
		assert(!pthread_create(&t[i], NULL, works, (void *)(long)i));
	while (atomic_load(&ready) < 1)
		sched_yield();
	for (int i = 0; i < n; i++) {
		pthread_join(t[i], &block);
		free(block);
	}
}

int main(int argc, char **argv)
{
	struct timespec now;

	set_up();
	have_threads(2);
	if (argc > 1 && !strcmp(argv[1], "late"))
		have_threads(3);
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%d %d %ld %llu\n", shared, table[N - 1], now.tv_nsec - began.tv_nsec, ticks);
	return 0;
}
