/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The read and the write of a counter are each under the lock, the increment as a whole is not. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static int counter_get(void)
{
	int value;

	pthread_mutex_lock(&lock);
	value = counter;
	pthread_mutex_unlock(&lock);
	return value;
}

static void counter_set(int value)
{
	pthread_mutex_lock(&lock);
	counter = value;
	pthread_mutex_unlock(&lock);
}

static void *increment(void *arg)
{
	int value = counter_get();

	(void)arg;
	counter_set(value + 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, increment, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	return 0;
}
