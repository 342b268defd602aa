/* SPDX-License-Identifier: GPL-2.0-or-later */
/* After a time-out it is looked at what is waited for. The signal comes when the time is over, too: who is late has
 * the mutex only when the setter has given it back. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *set(void *arg)
{
	const struct timespec second = { .tv_sec = 1 };

	(void)arg;
	nanosleep(&second, NULL);
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *await(void *arg)
{
	struct timespec deadline;
	int r = 0;

	(void)arg;
	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += 1;
	pthread_mutex_lock(&lock);
	while (!ready && r == 0)
		r = pthread_cond_timedwait(&changed, &lock, &deadline);
	if (!ready)
		assert(r == ETIMEDOUT);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, await, NULL);
	pthread_create(&threads[1], NULL, set, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
