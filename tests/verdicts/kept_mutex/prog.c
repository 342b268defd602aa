/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Monitors in each other: the wait keeps the outer mutex, which whoever is to signal takes first. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *await(void *arg)
{
	pthread_mutex_lock(&outer);
	pthread_mutex_lock(&inner);
	while (!ready)
		pthread_cond_wait(&changed, &inner);
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&outer);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, await, NULL);
	pthread_mutex_lock(&outer);
	pthread_mutex_lock(&inner);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&outer);
	pthread_join(t, NULL);
	return 0;
}
