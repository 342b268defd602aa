/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Correct: three threads take two of three locks, always in the same order. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock_b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock_c = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *a_then_b(void *arg)
{
	(void)arg;
	both(&lock_a, &lock_b);
	return NULL;
}

static void *b_then_c(void *arg)
{
	(void)arg;
	both(&lock_b, &lock_c);
	return NULL;
}

static void *a_then_c(void *arg)
{
	(void)arg;
	both(&lock_a, &lock_c);
	return NULL;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, a_then_b, NULL);
	pthread_create(&t2, NULL, b_then_c, NULL);
	pthread_create(&t3, NULL, a_then_c, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return 0;
}
