/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who waits tries a lock in a function with room on its stack that nobody has written, and other calls were made where
 * it lies: what their frames have left is no part of where the thread stands, or no round would be like another one.
 * Broken: what is counted under the lock is also counted without it. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef ROOM
#define ROOM 1536
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int counted;

static __attribute__((noinline)) int is_mine(void)
{
	char room[ROOM];
	int failed;

	__asm__ volatile("" : : "r"(room));
	failed = pthread_mutex_trylock(&lock);
	__asm__ volatile("" : : "r"(room));
	return !failed;
}

static void *count(void *arg)
{
	const size_t me = (size_t)arg;

	while (!is_mine()) {
		pthread_mutex_lock(&other[me]);
		pthread_mutex_unlock(&other[me]);
	}
	counted++;
	pthread_mutex_unlock(&lock);
#ifdef BROKEN
	counted++;
#endif
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (size_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, count, (void *)i);
	for (size_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
#ifdef BROKEN
	assert(counted == 4);
#else
	assert(counted == 2);
#endif
	return 0;
}
