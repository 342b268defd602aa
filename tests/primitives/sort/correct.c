/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread sorts an array, another one looks at its ends, under a lock. Which elements libc moves is not seen, but that it may move all. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static int values[2] = {2, 1};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int order(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void *sort(void *arg)
{
	pthread_mutex_lock(&lock);
	qsort(values, 2, sizeof(values[0]), order);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *look(void *arg)
{
	int sum;

	pthread_mutex_lock(&lock);
	sum = values[0];
	sum += values[1];
	pthread_mutex_unlock(&lock);
	assert(sum == 3);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, look, NULL);
	pthread_create(&threads[1], NULL, sort, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
