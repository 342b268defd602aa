/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ProducerConsumer: three producers, three consumers, one ring. A consumer that finds the ring empty gives up: it takes the
 * producers to be ahead. */
#include <assert.h>

#include "../table1.h"

#define PAIRS 3
#define PER_THREAD 5
#define N (PAIRS * PER_THREAD)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ring[N], produced[N], consumed[N];
static int head, tail;

static void produce(int me)
{
	for (int i = 0; i < PER_THREAD; i++) {
		pthread_mutex_lock(&lock);
		ring[head++] = me * PER_THREAD + i + 1;
		produced[me * PER_THREAD + i] = 1;
		pthread_mutex_unlock(&lock);
	}
}

static void consume(void)
{
	for (int i = 0; i < PER_THREAD; i++) {
		pthread_mutex_lock(&lock);
		assert(tail < head);
		consumed[ring[tail++] - 1] = 1;
		pthread_mutex_unlock(&lock);
	}
}

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	work(me, 2 * PAIRS, 13);
	if (me < PAIRS) {
		produce(me);
	} else {
		linger(400);
		consume();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[2 * PAIRS];

	table1_begin(argc, argv);
	start_all(workers, 2 * PAIRS, worker);
	join_all(workers, 2 * PAIRS);
	for (int i = 0; i < N; i++)
		assert(produced[i] && consumed[i]);
	return 0;
}
