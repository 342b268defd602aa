/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * last_words: a function's last operation is a write to a variable of its own, of which a pointer is known. Whoever is
 * called next has something else there, at its own first operation.
 */
#include <pthread.h>
#include <stddef.h>

enum { WRITTEN = 5, OTHER = 77, WORDS = 24 };

static volatile int *volatile known;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void lets_know(volatile int *at)
{
	known = at;
}

static __attribute__((noinline)) void writes(void)
{
	volatile int mark;

	lets_know(&mark);
	mark = WRITTEN;
}

static __attribute__((noinline)) int covers(void)
{
	volatile int room[WORDS];

	for (int i = 0; i < WORDS; i++)
		room[i] = OTHER;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return room[0];
}

static void *both(void *arg)
{
	writes();
	covers();
	writes();
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	writes();
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, both, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
