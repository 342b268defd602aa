/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The owner of a robust mutex ends; the next one is told and repairs. Nobody can before who takes it over. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock, other;
static int counter;

static void *die(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_lock(&other);
	return NULL;
}

static void *add(void *arg)
{
	int r = pthread_mutex_lock(&lock);

	(void)arg;
	assert(pthread_mutex_consistent(&other) == EINVAL);
	if (r == EOWNERDEAD)
		r = pthread_mutex_consistent(&lock);
	assert(r == 0);
	counter++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &attr);
	pthread_mutex_init(&other, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, NULL);
	pthread_create(&threads[2], NULL, die, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 3);
	assert(pthread_mutex_lock(&other) == EOWNERDEAD);
	return 0;
}
