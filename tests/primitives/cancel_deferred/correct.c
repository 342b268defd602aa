/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread cancelled in a wait gives its mutex back in a clean-up handler. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void unlock(void *mutex)
{
	pthread_mutex_unlock(mutex);
}

static void *await(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, &lock);
	while (!ready)
		pthread_cond_wait(&changed, &lock);
	pthread_cleanup_pop(1);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	void *value;

	pthread_create(&thread, NULL, await, NULL);
	pthread_cancel(thread);
	pthread_join(thread, &value);
	assert(value == PTHREAD_CANCELED);
	assert(pthread_mutex_trylock(&lock) == 0);
	return 0;
}
