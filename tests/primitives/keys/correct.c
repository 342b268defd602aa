/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thread-specific data and its destructor. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int destroyed;

static void destroy(void *value)
{
	pthread_mutex_lock(&lock);
	++*(int *)value;
	pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
	int own = 1;

	(void)arg;
	assert(pthread_getspecific(key) == NULL);
	pthread_setspecific(key, &own);
	assert(pthread_getspecific(key) == &own);
	pthread_setspecific(key, &destroyed);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_key_create(&key, destroy);
	pthread_create(&threads[0], NULL, work, NULL);
	pthread_create(&threads[1], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(destroyed == 2);
	pthread_key_delete(key);
	return 0;
}
