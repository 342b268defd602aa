/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mutexes with a priority ceiling, which is kept where others keep whether they are taken. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a, b;
static int counter;

static void count(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	counter++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *forth(void *arg)
{
	count(&a, &b);
	return arg;
}

static void *back(void *arg)
{
	count(&a, &b);
	return arg;
}

static void make(pthread_mutex_t *m)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
	pthread_mutexattr_setprioceiling(&attributes, 10);
	assert(pthread_mutex_init(m, &attributes) == 0);
}

int main(void)
{
	pthread_t threads[2];
	int ceiling = 0;

	make(&a);
	make(&b);
	pthread_create(&threads[0], NULL, forth, NULL);
	pthread_create(&threads[1], NULL, back, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	assert(pthread_mutex_getprioceiling(&a, &ceiling) == 0 && ceiling == 10);
	assert(pthread_mutex_trylock(&a) == 0 && pthread_mutex_unlock(&a) == 0);
	assert(pthread_mutex_destroy(&a) == 0 && pthread_mutex_destroy(&b) == 0);
	return 0;
}
