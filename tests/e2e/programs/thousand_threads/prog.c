/* SPDX-License-Identifier: GPL-2.0-or-later */
/* So many threads at once that what could go otherwise after one run fills memory. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define THREADS 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *arg)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	static pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		assert(pthread_create(&threads[i], NULL, add, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert(count == THREADS);
	return 0;
}
