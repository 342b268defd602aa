/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An allocator with a cache for each thread and a common list behind a lock; blocks are asserted to be in range, and a
 * thread's own blocks to be its own. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define BLOCKS 12
#define CACHED 2
#define THREADS 2

static struct block {
	int owner, next;
} blocks[BLOCKS + 1]; /* 0: none */
static int list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int refills, handed_out, peak;
static int each;

struct cache {
	int blocks[CACHED], n;
};

static void refill(struct cache *c)
{
	pthread_mutex_lock(&lock);
	while (c->n < CACHED && list) {
		c->blocks[c->n++] = list;
		list = blocks[list].next;
	}
	refills++;
	pthread_mutex_unlock(&lock);
}

static int take(struct cache *c)
{
	if (!c->n)
		refill(c);
	if (!c->n)
		return 0;
	pthread_mutex_lock(&lock);
	handed_out++;
	peak = handed_out > peak ? handed_out : peak;
	pthread_mutex_unlock(&lock);
	return c->blocks[--c->n];
}

static void *worker(void *arg)
{
	struct cache cache = { .n = 0 };

	for (int i = 0; i < each; i++) {
		const int b = take(&cache);

		assert(b >= 0 && b <= BLOCKS);
		if (b) {
			blocks[b].owner = (int)(long)arg;
			assert(blocks[b].owner == (int)(long)arg);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	each = argc > 1 ? atoi(argv[1]) : 3;
	for (int i = 1; i < BLOCKS; i++)
		blocks[i].next = i + 1;
	list = 1;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
