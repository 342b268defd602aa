/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parallel quicksort with a shared stack of ranges. A worker that finds the stack empty and nobody at work takes the array for sorted;
 * the worker that has taken the last range has not said yet that it works. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

#define N 8
#define WORKERS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data[N] = { 5, 2, 7, 1, 6, 3, 8, 4 };
static int lo[2 * N], hi[2 * N], depth, busy, finished;

static int partition(int l, int h)
{
	const int pivot = data[h];
	int at = l;

	for (int i = l; i <= h; i++)
		if (data[i] <= pivot) {
			const int x = data[i];

			data[i] = data[at];
			data[at++] = x;
		}
	return at - 1;
}

static void push(int l, int h)
{
	pthread_mutex_lock(&lock);
	lo[depth] = l;
	hi[depth++] = h;
	pthread_mutex_unlock(&lock);
}

static void count(int by)
{
	pthread_mutex_lock(&lock);
	busy += by;
	pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
	(void)arg;
	for (;;) {
		int l = 0, h = -1, p, idle;

		pthread_mutex_lock(&lock);
		if (depth) {
			depth--;
			l = lo[depth];
			h = hi[depth];
		}
		idle = h < 0 && !busy;
		pthread_mutex_unlock(&lock);
		if (idle)
			break;
		if (h < 0) {
			sched_yield();
			continue;
		}
		count(1); /* here: between the two nobody seems to work */
		if (l < h) {
			p = partition(l, h);
			if (p > l)
				push(l, p - 1);
			if (p < h)
				push(p + 1, h);
		}
		count(-1);
	}
	pthread_mutex_lock(&lock);
	if (!finished++)
		for (int i = 1; i < N; i++)
			assert(data[i - 1] <= data[i]);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS];

	push(0, N - 1);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
