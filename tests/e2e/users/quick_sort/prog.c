// SPDX-License-Identifier: GPL-2.0-or-later
// A parallel sort: parts go onto a shared stack of work; threads take from it until all is sorted.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define N 12
#define THREADS 2
#define SMALL 4

struct range {
	int from, to;
};

static struct range stack[N];
static int top, left = N, numbers[N];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void push(int from, int to)
{
	if (from >= to)
		return;
	pthread_mutex_lock(&lock);
	stack[top++] = (struct range){ from, to };
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static int pop(struct range *r)
{
	int got;

	pthread_mutex_lock(&lock);
	while (!top && left)
		pthread_cond_wait(&changed, &lock);
	got = top > 0;
	if (got)
		*r = stack[--top];
	pthread_mutex_unlock(&lock);
	return got;
}

static void sorted(int n)
{
	pthread_mutex_lock(&lock);
	left -= n;
	if (!left)
		pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int partition(int from, int to)
{
	int pivot = numbers[to - 1], at = from;

	for (int i = from; i < to; i++)
		if (numbers[i] < pivot || i == to - 1) {
			int t = numbers[at];

			numbers[at++] = numbers[i];
			numbers[i] = t;
		}
	return at - 1;
}

static void *work(void *arg)
{
	struct range r;

	while (pop(&r)) {
		int middle;

		if (r.to - r.from <= SMALL) {
			qsort(numbers + r.from, (size_t)(r.to - r.from), sizeof(int), compare);
			sorted(r.to - r.from);
			continue;
		}
		middle = partition(r.from, r.to);
		push(r.from, middle);
		push(middle + 1, r.to);
		sorted(1);
	}
	return arg;
}

int main(void)
{
	pthread_t threads[THREADS];
	unsigned seed = 5;

	for (int i = 0; i < N; i++)
		numbers[i] = (int)((seed = seed * 1103515245 + 12345) >> 16 & 63);
	push(0, N);
	for (int i = 0; i < THREADS; i++)
		assert(pthread_create(&threads[i], NULL, work, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < N; i++)
		assert(numbers[i - 1] <= numbers[i]);
	return 0;
}
