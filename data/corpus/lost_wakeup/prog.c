/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flag is looked at before the lock is taken: the signal can come in between, and nobody hears it. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static volatile int done;

static void *finish(void *arg)
{
	(void)arg;
	done = 1;
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&finished);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *wait_for_it(void *arg)
{
	(void)arg;
	while (!done) {
		pthread_mutex_lock(&lock);
		pthread_cond_wait(&finished, &lock);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t finisher, waiter;

	pthread_create(&finisher, NULL, finish, NULL);
	pthread_create(&waiter, NULL, wait_for_it, NULL);
	pthread_join(finisher, NULL);
	pthread_join(waiter, NULL);
	return 0;
}
