/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread sorts an array, another one looks at its ends, without a lock. Which elements libc moves is not seen, but that it may move all. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static int values[2] = {2, 1};

static int order(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void *sort(void *arg)
{
	qsort(values, 2, sizeof(values[0]), order);
	return arg;
}

static void *look(void *arg)
{
	int sum;

	sum = values[0];
	sum += values[1];
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
