/* SPDX-License-Identifier: GPL-2.0-or-later */
/* That a thread has begun to end is taken for its end: until then its robust mutex is not to be had. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;

static void *die(void *arg)
{
	pthread_mutex_lock(&lock);
	return arg;
}

static void *try_it(void *arg)
{
	const int r = pthread_mutex_trylock(&lock);

	assert(r == 0 || r == EOWNERDEAD);
	if (r == EOWNERDEAD)
		pthread_mutex_consistent(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t threads[2];
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_create(&threads[0], NULL, die, NULL);
	pthread_create(&threads[1], NULL, try_it, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
