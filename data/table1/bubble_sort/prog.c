/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BubbleSort: eight threads make one pass each; main looks at the result after a while, without waiting for them. */
#include <assert.h>

#include "../table1.h"

#define WORKERS 8
#define N (WORKERS + 1)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data[N];
static int comparisons[WORKERS], swaps[WORKERS];

static void pass(int me)
{
	for (int i = 0; i + 1 < N; i++) {
		comparisons[me]++;
		if (data[i] > data[i + 1]) {
			const int x = data[i];

			data[i] = data[i + 1];
			data[i + 1] = x;
			swaps[me]++;
		}
	}
}

static void *worker(void *arg)
{
	work((int)(intptr_t)arg, WORKERS, 28);
	pthread_mutex_lock(&lock);
	pass((int)(intptr_t)arg);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[WORKERS];

	table1_begin(argc, argv);
	for (int i = 0; i < N; i++)
		data[i] = N - i;
	start_all(workers, WORKERS, worker);
	linger(400);
	pthread_mutex_lock(&lock);
	for (int i = 0; i + 1 < N; i++)
		assert(data[i] <= data[i + 1]);
	pthread_mutex_unlock(&lock);
	join_all(workers, WORKERS);
	return 0;
}
