/* SPDX-License-Identifier: GPL-2.0-or-later */
/* long ACCESSES: 4 workers share an array, a counter under a lock and, rarely, a counter without one; a recording of it
 * has
 * about ACCESSES events. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 4u
#define CELLS 1024u
#define ROUND 64u /* accesses between two visits to the lock */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long cells[CELLS], total, rounds;
static unsigned long accesses; /* of a worker */

static void *work(void *arg)
{
	unsigned long seed = (unsigned long)(size_t)arg + 1;

	for (unsigned long i = 0; i < accesses; i++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		cells[(seed >> 33) % CELLS] = (long)i;
		if (i % ROUND == 0) {
			pthread_mutex_lock(&lock);
			total++;
			pthread_mutex_unlock(&lock);
		}
		if (i % (ROUND * ROUND) == 0)
			rounds++; /* the bug */
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[WORKERS];

	accesses = (argc > 1 ? strtoul(argv[1], NULL, 0) : 100000) / WORKERS;
	for (unsigned i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(size_t)i);
	for (unsigned i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld %ld\n", total, rounds);
	return 0;
}
