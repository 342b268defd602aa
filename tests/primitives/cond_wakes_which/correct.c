/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two kinds of waiters on one condition variable, all woken. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;
static int turn;

static void *first(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	while (turn != 1)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *second(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	while (turn != 1)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *set(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	ready = 1;
	turn = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_create(&threads[2], NULL, set, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
