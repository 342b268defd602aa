/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timed lock that may fail, and whose failure is handled. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *arg)
{
	struct timespec far;

	(void)arg;
	clock_gettime(CLOCK_REALTIME, &far);
	far.tv_sec += 3600;

	if (pthread_mutex_timedlock(&lock, &far) != 0)
		return NULL;
	counter++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter <= 2);
	return 0;
}
