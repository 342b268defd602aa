/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Piper: agents put passengers into the queue of a flight, clerks take them out and seat them. A clerk who finds the queue empty lets go of the lock to write that down
 * before it waits, so that the agent's signal may come in between. */
#include "../fair.h"

#define FLIGHTS 4
#define SEATS 2

struct flight {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	int queue[SEATS];
	int queued, seated;
};

static struct flight flights[FLIGHTS];
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int waits;

static void fill_plane(struct flight *f, int passenger)
{
	pthread_mutex_lock(&f->lock);
	f->queue[f->queued % SEATS] = passenger;
	f->queued++;
	pthread_cond_signal(&f->filled);
	pthread_mutex_unlock(&f->lock);
}

static void note_wait(void)
{
	pthread_mutex_lock(&log_lock);
	waits++;
	pthread_mutex_unlock(&log_lock);
}

static int empty_plane(struct flight *f)
{
	int passenger;
	bool empty;

	pthread_mutex_lock(&f->lock);
	empty = f->queued == f->seated;
	pthread_mutex_unlock(&f->lock);
	if (empty)
		note_wait();
	pthread_mutex_lock(&f->lock);
	if (empty) /* here: it was */
		pthread_cond_wait(&f->filled, &f->lock);
	passenger = f->queue[f->seated % SEATS];
	f->seated++;
	pthread_mutex_unlock(&f->lock);
	return passenger;
}

static void *agent(void *arg)
{
	const int flight = (int)(intptr_t)arg;

	fill_plane(&flights[flight], 100 + flight);
	return NULL;
}

static void *clerk(void *arg)
{
	const int flight = (int)(intptr_t)arg - FLIGHTS;

	linger(10);
	assert(empty_plane(&flights[flight]) == 100 + flight);
	return NULL;
}

static void *worker(void *arg)
{
	return (intptr_t)arg < FLIGHTS ? agent(arg) : clerk(arg);
}

int main(int argc, char **argv)
{
	pthread_t workers[2 * FLIGHTS];

	table1_begin(argc, argv);
	for (int i = 0; i < FLIGHTS; i++) {
		pthread_mutex_init(&flights[i].lock, NULL);
		pthread_cond_init(&flights[i].filled, NULL);
	}
	start_all(workers, 2 * FLIGHTS, worker);
	join_all(workers, 2 * FLIGHTS);
	for (int i = 0; i < FLIGHTS; i++)
		assert(flights[i].seated == flights[i].queued);
	return 0;
}
