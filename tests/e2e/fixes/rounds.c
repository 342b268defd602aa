/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three threads that take turns at a lock for many rounds; what they count at the end is not under it, unless FIXED.
 * More orders than can be run, and a failure that needs one preemption of two threads. */
#include <assert.h>
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, ended;

static void *work(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		rounds++;
		pthread_mutex_unlock(&lock);
	}
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	ended++;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return arg;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert(ended == THREADS);
	return rounds != THREADS * ROUNDS;
}
