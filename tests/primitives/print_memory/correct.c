/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads print into one buffer and read a number from it, under a lock. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char buffer[32];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *arg)
{
	const long n = (long)arg;
	long found;

	pthread_mutex_lock(&lock);
	snprintf(buffer, sizeof(buffer), "%ld items", n);
	found = strtol(buffer, NULL, 10);
	pthread_mutex_unlock(&lock);
	assert(found == n);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, use, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
