/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Piper: four travel agents put reservations into a pipe, four clerks take them out. A clerk looks whether there is one, and then
 * waits, under two locks taken one after the other: a reservation that comes in between wakes nobody. */
#include <assert.h>

#include "../table1.h"

#define PAIRS 4
#define SEATS 3

static struct pipe {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	int n, in;
} pipes[PAIRS];
static int waiting_list;

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg, i = me % PAIRS;
	struct pipe *p = &pipes[i];
	int empty;

	work(me, 2 * PAIRS, 17);
	if (me < PAIRS) { /* an agent */
		pthread_mutex_lock(&p->lock);
		p->n++;
		p->in = me;
		pthread_cond_signal(&p->filled);
		pthread_mutex_unlock(&p->lock);
		return NULL;
	}
	linger(10);
	pthread_mutex_lock(&p->lock);
	empty = p->n == 0;
	if (i == place(1, 0, PAIRS)) { /* this clerk's version lets go of the lock to write down that it waits */
		pthread_mutex_unlock(&p->lock);
		if (empty)
			waiting_list = me;
		pthread_mutex_lock(&p->lock);
		if (empty)
			pthread_cond_wait(&p->filled, &p->lock);
	} else {
		while (p->n == 0)
			pthread_cond_wait(&p->filled, &p->lock);
	}
	p->n--;
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[2 * PAIRS];

	table1_begin(argc, argv);
	for (int i = 0; i < PAIRS; i++) {
		pthread_mutex_init(&pipes[i].lock, NULL);
		pthread_cond_init(&pipes[i].filled, NULL);
	}
	start_all(workers, 2 * PAIRS, worker);
	join_all(workers, 2 * PAIRS);
	for (int i = 0; i < PAIRS; i++)
		assert(pipes[i].n == 0);
	return 0;
}
