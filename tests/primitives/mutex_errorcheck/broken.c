/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The error of a second lock is ignored, so the inner unlock gives the mutex back too early. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static int counter;

static void *add(void *arg)
{
	int seen;

	(void)arg;
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
	seen = counter;
	pthread_mutex_unlock(&lock);
	counter = seen + 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&lock, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	return 0;
}
