/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A semaphore of one as a lock. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t gate;
static int counter;

static void *add(void *arg)
{
	(void)arg;
	sem_wait(&gate);
	counter++;
	sem_post(&gate);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	sem_init(&gate, 0, 1);
	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	sem_destroy(&gate);
	return 0;
}
