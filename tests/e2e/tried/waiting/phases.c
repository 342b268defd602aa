/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hand-made barrier that is used again: the count is reset by the last, who may be overtaken. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#define N 2

struct barrier {
	pthread_mutex_t lock;
	pthread_cond_t all_here;
	int waiting;
#ifdef FIXED
	int round;
#endif
};

static struct barrier barrier = {.lock = PTHREAD_MUTEX_INITIALIZER, .all_here = PTHREAD_COND_INITIALIZER};

static void barrier_wait(struct barrier *b)
{
	pthread_mutex_lock(&b->lock);
#ifdef FIXED
	int round = b->round;
#endif
	if (++b->waiting == N) {
		b->waiting = 0;
#ifdef FIXED
		b->round++;
#endif
		pthread_cond_broadcast(&b->all_here);
	} else {
#ifdef FIXED
		while (round == b->round)
#else
		while (b->waiting != 0)
#endif
			pthread_cond_wait(&b->all_here, &b->lock);
	}
	pthread_mutex_unlock(&b->lock);
}

static int cells[N], sums[N];

static void *simulate(void *arg)
{
	int me = (int)(long)arg;
	for (int step = 0; step < 2; step++) {
		cells[me] = step + 1;
		barrier_wait(&barrier);
		sums[me] = cells[0] + cells[1];
		barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], NULL, simulate, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	printf("%d %d\n", sums[0], sums[1]);
	assert(sums[0] == 4 && sums[1] == 4);
	return 0;
}
