/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Correct: a condition may be freed as soon as its waiters are woken, a semaphore and a barrier as soon as they let go.
 * The others may still be on their way out. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *opened;
static pthread_barrier_t *both;
static sem_t *told;
static int is_open;

static void *wait_for_it(void *arg)
{
	pthread_mutex_lock(&mutex);
	while (!is_open)
		pthread_cond_wait(opened, &mutex);
	pthread_mutex_unlock(&mutex);
	sem_post(told);
	pthread_barrier_wait(both);
	return arg;
}

int main(void)
{
	pthread_t waiter;

	opened = malloc(sizeof(*opened));
	both = malloc(sizeof(*both));
	told = malloc(sizeof(*told));
	pthread_cond_init(opened, NULL);
	pthread_barrier_init(both, NULL, 2);
	sem_init(told, 0, 0);
	pthread_create(&waiter, NULL, wait_for_it, NULL);
	pthread_mutex_lock(&mutex);
	is_open = 1;
	pthread_cond_broadcast(opened);
	pthread_cond_destroy(opened);
	free(opened);
	pthread_mutex_unlock(&mutex);
	sem_wait(told);
	sem_destroy(told);
	free(told);
	pthread_barrier_wait(both);
	pthread_barrier_destroy(both);
	free(both);
	pthread_join(waiter, NULL);
	return 0;
}
