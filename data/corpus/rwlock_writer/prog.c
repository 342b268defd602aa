/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A writer that takes the read side of a read-write lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int generation;

static void *update(void *arg)
{
	(void)arg;
	pthread_rwlock_rdlock(&lock);
	generation = generation + 1;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, update, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(generation == 2);
	return 0;
}
