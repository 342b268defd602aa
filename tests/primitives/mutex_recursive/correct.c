/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recursive mutex taken twice and given back twice. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static int counter;

static void *add(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 4);
	pthread_mutex_destroy(&lock);
	return 0;
}
