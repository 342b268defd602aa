/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three at a table, each with the fork to the left first. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

static pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *arg)
{
	const uintptr_t seat = (uintptr_t)arg;

	pthread_mutex_lock(&forks[seat]);
	pthread_mutex_lock(&forks[(seat + 1) % 3]);
	pthread_mutex_unlock(&forks[(seat + 1) % 3]);
	pthread_mutex_unlock(&forks[seat]);
	return NULL;
}

int main(void)
{
	pthread_t guests[3];

	for (uintptr_t i = 0; i < 3; i++)
		pthread_create(&guests[i], NULL, dine, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(guests[i], NULL);
	return 0;
}
