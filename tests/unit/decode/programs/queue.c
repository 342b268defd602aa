/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Producer and consumers: condition variables, a semaphore, a barrier, a read-write lock, thread-local data, a signal, deep recursion. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define ROOM 4
#define CONSUMERS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t config_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t start;
static sem_t done;
static int items[ROOM], first, n_items, config = 1, rounds;
static long sums[CONSUMERS];
static __thread long local_sum;
static volatile sig_atomic_t signals;

static void on_signal(int sig)
{
	signals += sig != 0;
}

static int depth(int n) /* deeper than the processor's return stack */
{
	return n ? 1 + depth(n - 1) : 0;
}

static int take(void)
{
	int item;

	pthread_mutex_lock(&lock);
	while (!n_items)
		pthread_cond_wait(&not_empty, &lock);
	item = items[first];
	first = (first + 1) % ROOM;
	n_items--;
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&lock);
	return item;
}

static void give(int item)
{
	pthread_mutex_lock(&lock);
	while (n_items == ROOM)
		pthread_cond_wait(&not_full, &lock);
	items[(first + n_items++) % ROOM] = item;
	pthread_cond_broadcast(&not_empty);
	pthread_mutex_unlock(&lock);
}

static void *consume(void *arg)
{
	long *sum = arg;
	int item;

	pthread_barrier_wait(&start);
	while ((item = take()) > 0) {
		pthread_rwlock_rdlock(&config_lock);
		local_sum += item * config;
		pthread_rwlock_unlock(&config_lock);
	}
	*sum = local_sum + depth(70) - 70;
	sem_post(&done);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[CONSUMERS];

	rounds = argc > 1 ? atoi(argv[1]) : 10;
	signal(SIGUSR1, on_signal);
	pthread_barrier_init(&start, NULL, CONSUMERS + 1);
	sem_init(&done, 0, 0);
	for (int i = 0; i < CONSUMERS; i++)
		pthread_create(&threads[i], NULL, consume, &sums[i]);
	pthread_barrier_wait(&start);
	for (int i = 1; i <= rounds; i++) {
		give(i);
		if (i == 2)
			raise(SIGUSR1);
	}
	for (int i = 0; i < CONSUMERS; i++)
		give(0);
	for (int i = 0; i < CONSUMERS; i++)
		sem_wait(&done);
	for (int i = 0; i < CONSUMERS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld %d\n", sums[0] + sums[1], (int)signals);
	return sums[0] + sums[1] != (long)rounds * (rounds + 1) / 2;
}
