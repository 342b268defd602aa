/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three philosophers; each takes the left fork first. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define SEATS 3

static pthread_mutex_t forks[SEATS] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int meals[SEATS];

static void *dine(void *arg)
{
	const int seat = (int)((int *)arg - meals);

	pthread_mutex_lock(&forks[seat]);
	pthread_mutex_lock(&forks[(seat + 1) % SEATS]);
	meals[seat]++;
	pthread_mutex_unlock(&forks[(seat + 1) % SEATS]);
	pthread_mutex_unlock(&forks[seat]);
	return NULL;
}

int main(void)
{
	pthread_t threads[SEATS];

	for (int i = 0; i < SEATS; i++)
		pthread_create(&threads[i], NULL, dine, &meals[i]);
	for (int i = 0; i < SEATS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < SEATS; i++)
		assert(meals[i] == 1);
	return 0;
}
