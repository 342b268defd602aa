/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two shards share a counter; each is changed under its own shard's lock. */
#include <assert.h>
#include <pthread.h>

struct shard {
	pthread_mutex_t lock;
	int items;
};

static struct shard shards[2] = { { PTHREAD_MUTEX_INITIALIZER, 0 }, { PTHREAD_MUTEX_INITIALIZER, 0 } };
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void add(struct shard *s)
{
	pthread_mutex_lock(&s->lock);
	s->items++;
#ifdef FIXED
	pthread_mutex_lock(&total_lock);
	total++;
	pthread_mutex_unlock(&total_lock);
#else
	total++;
#endif
	pthread_mutex_unlock(&s->lock);
}

static void *worker(void *arg)
{
	add(arg);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	(void)total_lock;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, &shards[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(total == 2);
	return 0;
}
