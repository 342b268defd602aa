/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Both orders, but only under a third lock: no deadlock. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	n++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	pthread_mutex_unlock(&gate);
}

static void *one(void *arg)
{
	take(&a, &b);
	return arg;
}

static void *other(void *arg)
{
	take(&b, &a);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, one, NULL);
	pthread_create(&t2, NULL, other, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return n == 2 ? 0 : 1;
}
