/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Both orders, kept apart by a semaphore: the lock-order graph has a circle, no schedule deadlocks. It stays a suspect. */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;

static void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *one(void *arg)
{
	take(&a, &b);
	sem_post(&done);
	return arg;
}

static void *other(void *arg)
{
	sem_wait(&done);
	take(&b, &a);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&done, 0, 0);
	pthread_create(&t1, NULL, one, NULL);
	pthread_create(&t2, NULL, other, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
