// SPDX-License-Identifier: GPL-2.0-or-later
// A pool of threads that a constructor starts, as a static object does: they wait for main to give them work.
#include <assert.h>
#include <pthread.h>

#define WORKERS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int jobs, done;
static pthread_t workers[WORKERS];

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!jobs)
		pthread_cond_wait(&more, &lock);
	jobs--;
	done++;
	pthread_mutex_unlock(&lock);
	return arg;
}

__attribute__((constructor)) static void start(void)
{
	for (int i = 0; i < WORKERS; i++)
		assert(pthread_create(&workers[i], NULL, work, &workers[i]) == 0);
}

int main(void)
{
	void *result;

	pthread_mutex_lock(&lock);
	jobs = WORKERS;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < WORKERS; i++)
		assert(pthread_join(workers[i], &result) == 0 && result == &workers[i]);
	assert(done == WORKERS);
	return 0;
}
