// SPDX-License-Identifier: GPL-2.0-or-later
// Whether there is a bug stands in the input: a sum of numbers that is 120003.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static volatile int x;
static long sum;

static void *reads(void *arg)
{
	const int first = x, second = x;

	assert(sum != 120003 || first == second);
	return arg;
}

static void *writes(void *arg)
{
	x = 1;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	for (long n; scanf("%ld", &n) == 1;)
		sum += n;
	pthread_create(&a, NULL, reads, NULL);
	pthread_create(&b, NULL, writes, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
