/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reader goes on without the lock when timedrdlock times out against a writer that sleeps. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *write_pair(void *arg)
{
	(void)arg;
	pthread_rwlock_wrlock(&lock);
	left++;
	sleep(2);
	right++;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *read_pair(void *arg)
{
	struct timespec far;

	(void)arg;
	clock_gettime(CLOCK_REALTIME, &far);
	far.tv_sec += 1;
	pthread_rwlock_timedrdlock(&lock, &far);
	assert(left == right);
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, read_pair, NULL);
	pthread_create(&threads[1], NULL, write_pair, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
