/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Priority inheritance does not help against a circle of two locks. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t first, second;

static void *forth(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&first);
	pthread_mutex_lock(&second);
	pthread_mutex_unlock(&second);
	pthread_mutex_unlock(&first);
	return NULL;
}

static void *back(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&second);
	pthread_mutex_lock(&first);
	pthread_mutex_unlock(&first);
	pthread_mutex_unlock(&second);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&first, &attr);
	pthread_mutex_init(&second, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_create(&threads[0], NULL, forth, NULL);
	pthread_create(&threads[1], NULL, back, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
