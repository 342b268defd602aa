/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two waiters for two conditions on one condition variable, and a single signal, meant for the first: when it wakes the second it is wasted. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *first(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *second(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	while (ready != 2)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *set(void *arg)
{
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(*(pthread_t *)arg, NULL);
	pthread_mutex_lock(&lock);
	ready = 2;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t first_thread, second_thread, setter;

	pthread_create(&first_thread, NULL, first, NULL);
	pthread_create(&second_thread, NULL, second, NULL);
	pthread_create(&setter, NULL, set, &first_thread);
	pthread_join(second_thread, NULL);
	pthread_join(setter, NULL);
	return 0;
}
