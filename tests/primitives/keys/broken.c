/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A destructor of thread-specific data updates a counter without a lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_key_t key;
static int destroyed;

static void destroy(void *value)
{
	++*(int *)value;
}

static void *work(void *arg)
{
	(void)arg;
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
	return 0;
}
