/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A named semaphore. */
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
	counter++;
	sem_post(gate);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	gate = sem_open("/vtb-primitive-ok", O_CREAT | O_EXCL, 0600, 1);
	sem_unlink("/vtb-primitive-ok");
	if (gate == SEM_FAILED)
		return 0;
	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	sem_close(gate);
	return 0;
}
