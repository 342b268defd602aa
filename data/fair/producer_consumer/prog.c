/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ProducerConsumer: producers put numbers into a ring, and wait while it is full; consumers take them out, and take it that there are some. */
#include "../fair.h"

#define PAIRS 3
#define EACH 5
#define ROOM (PAIRS * EACH)

struct ring {
	pthread_mutex_t lock;
	pthread_cond_t taken;
	int slots[ROOM];
	int head, tail; /* put in and taken out so far */
};

static struct ring ring = { .lock = PTHREAD_MUTEX_INITIALIZER, .taken = PTHREAD_COND_INITIALIZER };
static int produced[ROOM], consumed[ROOM];

static void put(struct ring *r, int value)
{
	pthread_mutex_lock(&r->lock);
	while (r->head - r->tail == ROOM)
		pthread_cond_wait(&r->taken, &r->lock);
	r->slots[r->head % ROOM] = value;
	r->head++;
	pthread_mutex_unlock(&r->lock);
}

static int get(struct ring *r)
{
	int value;

	pthread_mutex_lock(&r->lock);
	assert(r->tail < r->head); /* here: nobody waits for the producers */
	value = r->slots[r->tail % ROOM];
	r->tail++;
	pthread_cond_signal(&r->taken);
	pthread_mutex_unlock(&r->lock);
	return value;
}

static void *producer(void *arg)
{
	const int first = (int)(intptr_t)arg * EACH;

	for (int i = first; i < first + EACH; i++) {
		put(&ring, i);
		produced[i]++;
	}
	return NULL;
}

static void *consumer(void *arg)
{
	(void)arg;
	linger(400);
	for (int i = 0; i < EACH; i++)
		consumed[get(&ring)]++;
	return NULL;
}

static void *worker(void *arg)
{
	return (intptr_t)arg < PAIRS ? producer(arg) : consumer(arg);
}

static bool all_once(const int *counts)
{
	bool once = true;

	for (int i = 0; i < ROOM; i++)
		once &= counts[i] == 1;
	return once;
}

int main(int argc, char **argv)
{
	pthread_t workers[2 * PAIRS];

	table1_begin(argc, argv);
	start_all(workers, 2 * PAIRS, worker);
	join_all(workers, 2 * PAIRS);
	assert(ring.head == ROOM && ring.tail == ROOM);
	assert(all_once(produced) && all_once(consumed));
	return 0;
}
