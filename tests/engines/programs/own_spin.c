/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_spin exchange|compare|load: two threads, each with a spin lock of its own that nobody else touches. In few
 * orders one of them takes its lock twice, and waits for itself.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { THREADS = 2, ROUNDS = 3, WRONG = 5 };

static struct {
	_Alignas(64) atomic_int taken;
} locks[THREADS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void by_exchange(atomic_int *taken)
{
	while (atomic_exchange(taken, 1))
		;
}

static void by_compare(atomic_int *taken)
{
	int free = 0;

	while (!atomic_compare_exchange_strong(taken, &free, 1))
		free = 0;
}

static void by_load(atomic_int *taken)
{
	while (atomic_load(taken))
		;
	atomic_store(taken, 1);
}

static void (*take)(atomic_int *);

static void *work(void *arg)
{
	const uintptr_t thread = (uintptr_t)arg;
	int seen = 0;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		seen = seen * 2 + count++ % 2;
		pthread_mutex_unlock(&mutex);
		take(&locks[thread].taken);
		if (i == ROUNDS - 1 && seen == WRONG && thread == 1)
			take(&locks[thread].taken);
		atomic_store(&locks[thread].taken, 0);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t threads[THREADS];

	take = !strcmp(how, "compare") ? by_compare : !strcmp(how, "load") ? by_load : by_exchange;
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
