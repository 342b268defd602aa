/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A skip list under one lock, whose readers count what they do: the assertion is that levels are as drawn. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define LEVELS 3
#define NODES 16

static struct node {
	int key, levels;
	int next[LEVELS]; /* place in the pool; 0: none */
} pool[NODES];
static atomic_int used = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int steps, inserted, lookups;
static int each;

static int draw(int key)
{
	int levels = 1;

	while (levels < LEVELS && key & 1 << levels)
		levels++;
	assert(levels >= 1 && levels <= LEVELS);
	return levels;
}

static void insert(int key)
{
	const int levels = draw(key), at = atomic_fetch_add(&used, 1);
	int before = 0;

	assert(at > 0 && at < NODES);
	pthread_mutex_lock(&lock);
	pool[at].key = key;
	pool[at].levels = levels;
	for (int level = LEVELS - 1; level >= 0; level--) {
		while (pool[before].next[level] && pool[pool[before].next[level]].key < key) {
			before = pool[before].next[level];
			steps++;
		}
		if (level < levels) {
			pool[at].next[level] = pool[before].next[level];
			pool[before].next[level] = at;
		}
	}
	inserted++;
	pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
	for (int i = 0; i < each; i++) {
		insert((int)(long)arg + 2 * i + 1);
		pthread_mutex_lock(&lock);
		lookups++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	each = argc > 1 ? atoi(argv[1]) : 3;
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
