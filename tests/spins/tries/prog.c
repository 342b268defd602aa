/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lock whose waiters count their tries: none of them is ever where it was before, and each changes something while
 * the others look. Broken: whether the lock is free is looked at before it is taken. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define THREADS 3

static atomic_int taken;
static int entered;
static long tries[THREADS];

static void *enter(void *arg)
{
#ifdef BROKEN
	while (atomic_load(&taken))
		tries[(size_t)arg]++;
	atomic_store(&taken, 1);
#else
	while (atomic_exchange(&taken, 1))
		tries[(size_t)arg]++;
#endif
	const int before = entered;

	entered = before + 1;
	atomic_store(&taken, 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, enter, (void *)i);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert(entered == THREADS);
	return 0;
}
