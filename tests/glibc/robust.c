/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A robust mutex whose owner has ended: the next one is told, makes it consistent, and it works again; if nobody does, it is lost. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock, lost;

static void *dies(void *arg)
{
	pthread_mutex_lock(arg);
	return NULL; /* still holding it */
}

static const char *name(int error)
{
	return error == EOWNERDEAD ? "owner dead" : error == ENOTRECOVERABLE ? "not recoverable" : error ? strerror(error) : "fine";
}

static void *uses(void *arg)
{
	const int r = pthread_mutex_lock(arg);

	if (r == 0)
		pthread_mutex_unlock(arg);
	return (void *)(long)r;
}

int main(void)
{
	pthread_mutexattr_t robust;
	pthread_t t;
	void *result;

	pthread_mutexattr_init(&robust);
	pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &robust);
	pthread_mutex_init(&lost, &robust);
	pthread_create(&t, NULL, dies, &lock);
	pthread_join(t, NULL);
	printf("after the owner's end: %s\n", name(pthread_mutex_lock(&lock)));
	printf("made consistent: %s\n", name(pthread_mutex_consistent(&lock)));
	pthread_mutex_unlock(&lock);
	pthread_create(&t, NULL, uses, &lock);
	pthread_join(t, &result);
	printf("used again: %s\n", name((int)(long)result));
	pthread_create(&t, NULL, dies, &lost);
	pthread_join(t, NULL);
	printf("the other: %s\n", name(pthread_mutex_lock(&lost)));
	pthread_mutex_unlock(&lost);
	printf("given up: %s\n", name(pthread_mutex_lock(&lost)));
	return 0;
}
