/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second caller of pthread_once waits until the first is through. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int size;

static void initialise(void)
{
	pthread_mutex_lock(&lock);
	size = 2;
	pthread_mutex_unlock(&lock);
}

static void *use(void *arg)
{
	(void)arg;
	pthread_once(&once, initialise);
	assert(size == 2);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, use, NULL);
	pthread_create(&threads[1], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
