/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A named semaphore started at two instead of one. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t *gate;
static int counter;

static void *add(void *arg)
{
	(void)arg;
	sem_wait(gate);
	counter = counter + 1;
	sem_post(gate);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	gate = sem_open("/vtb-primitive-bad", O_CREAT | O_EXCL, 0600, 2);
	sem_unlink("/vtb-primitive-bad");
	if (gate == SEM_FAILED)
		return 0;
	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	return 0;
}
