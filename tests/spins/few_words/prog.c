/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads compute with a few words that never change: what they come to is in registers. They wait for nobody.
 * Broken: what they came to is counted without the lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define TIMES 2000

double coefficients[5] = { 1, 2, 3, 4, 5 }, sums[2];
static int counted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *compute(void *arg)
{
	double sum = 0;

	for (int i = 0; i < TIMES; i++) {
		double value = 0;

		for (int k = 0; k < 5; k++)
			value = value * i / TIMES + coefficients[k];
		sum += value;
	}
	sums[(size_t)arg] = sum;
#ifndef BROKEN
	pthread_mutex_lock(&lock);
#endif
	counted++;
#ifndef BROKEN
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (size_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, compute, (void *)i);
	for (size_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counted == 2 && sums[0] == sums[1]);
	return 0;
}
