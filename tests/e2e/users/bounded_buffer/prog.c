// SPDX-License-Identifier: GPL-2.0-or-later
// Producers and consumers around a ring with two semaphores and a mutex; a poison item ends each consumer.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 2
#define PRODUCERS 2
#define CONSUMERS 2
#define ITEMS 3
#define POISON (-1)

struct ring {
	sem_t free, used;
	pthread_mutex_t lock;
	int slots[SLOTS], in, out;
};

static struct ring ring;

static void down(sem_t *s)
{
	while (sem_wait(s))
		assert(errno == EINTR);
}

static void put(struct ring *r, int item)
{
	down(&r->free);
	pthread_mutex_lock(&r->lock);
	r->slots[r->in] = item;
	r->in = (r->in + 1) % SLOTS;
	pthread_mutex_unlock(&r->lock);
	sem_post(&r->used);
}

static int take(struct ring *r)
{
	int item;

	down(&r->used);
	pthread_mutex_lock(&r->lock);
	item = r->slots[r->out];
	r->out = (r->out + 1) % SLOTS;
	pthread_mutex_unlock(&r->lock);
	sem_post(&r->free);
	return item;
}

static void *produce(void *arg)
{
	int base = *(int *)arg;

	for (int i = 1; i <= ITEMS; i++)
		put(&ring, base + i);
	return NULL;
}

struct sum {
	int items;
	long total;
};

static void *consume(void *arg)
{
	struct sum *sum = calloc(1, sizeof(*sum));
	int item;

	(void)arg;
	assert(sum);
	while ((item = take(&ring)) != POISON) {
		sum->items++;
		sum->total += item;
	}
	return sum;
}

int main(void)
{
	pthread_t producers[PRODUCERS], consumers[CONSUMERS];
	int bases[PRODUCERS];
	long total = 0;
	int items = 0;

	assert(sem_init(&ring.free, 0, SLOTS) == 0 && sem_init(&ring.used, 0, 0) == 0);
	pthread_mutex_init(&ring.lock, NULL);
	for (int i = 0; i < CONSUMERS; i++)
		assert(pthread_create(&consumers[i], NULL, consume, NULL) == 0);
	for (int i = 0; i < PRODUCERS; i++) {
		bases[i] = i * 100;
		assert(pthread_create(&producers[i], NULL, produce, &bases[i]) == 0);
	}
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(producers[i], NULL);
	for (int i = 0; i < CONSUMERS; i++)
		put(&ring, POISON);
	for (int i = 0; i < CONSUMERS; i++) {
		struct sum *sum;

		pthread_join(consumers[i], (void **)&sum);
		items += sum->items;
		total += sum->total;
		free(sum);
	}
	assert(items == PRODUCERS * ITEMS && total == 312);
	pthread_mutex_destroy(&ring.lock);
	sem_destroy(&ring.free);
	sem_destroy(&ring.used);
	printf("%d items, %ld\n", items, total);
	return 0;
}
