/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A semaphore used as a lock, but started at two. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t gate;
static int visitors;

static void *visit(void *arg)
{
	(void)arg;
	sem_wait(&gate);
	visitors = visitors + 1;
	sem_post(&gate);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	sem_init(&gate, 0, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, visit, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(visitors == 2);
	sem_destroy(&gate);
	return 0;
}
