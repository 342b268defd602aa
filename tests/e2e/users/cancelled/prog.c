// SPDX-License-Identifier: GPL-2.0-or-later
// A thread is cancelled in a wait; its clean-up gives the lock back; at exit a handler looks at what is left.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int cleaned;

static void gives_back(void *held)
{
	cleaned = 1;
	pthread_mutex_unlock(held);
}

static void *waits(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(gives_back, &lock);
	for (;;)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(1);
	return arg;
}

static void at_exit(void)
{
	if (pthread_mutex_trylock(&lock))
		abort();
}

int main(void)
{
	pthread_t t;
	void *result;

	atexit(at_exit);
	pthread_create(&t, NULL, waits, NULL);
	pthread_cancel(t);
	pthread_join(t, &result);
	assert(result == PTHREAD_CANCELED);
	return 0;
}
