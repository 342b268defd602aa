/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The initialiser needs a lock that another thread holds while it waits for the initialiser. */
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

static void initialise_again(void)
{
	size = 2;
}

static void *use(void *arg)
{
	(void)arg;
	pthread_once(&once, initialise);
	return NULL;
}

static void *use_locked(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	pthread_once(&once, initialise_again);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, use, NULL);
	pthread_create(&threads[1], NULL, use_locked, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
