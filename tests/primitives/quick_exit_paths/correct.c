/* SPDX-License-Identifier: GPL-2.0-or-later */
/* _exit from a thread, status 0, while others wait. */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <unistd.h>

static sem_t never;

static void *leave(void *arg)
{
	(void)arg;
	_exit(0);
	return NULL;
}

static void *sit(void *arg)
{
	(void)arg;
	sem_wait(&never);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	sem_init(&never, 0, 0);
	pthread_create(&threads[0], NULL, sit, NULL);
	pthread_create(&threads[1], NULL, leave, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
