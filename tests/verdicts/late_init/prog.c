/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A semaphore is initialised after the thread that posts to it was started: the post may be lost. */
#include <pthread.h>
#include <semaphore.h>

static sem_t done;

static void *work(void *arg)
{
	sem_post(&done);
	return arg;
}

int main(void)
{
	pthread_t worker;

	pthread_create(&worker, 0, work, 0);
	sem_init(&done, 0, 0);
	sem_wait(&done);
	pthread_join(worker, 0);
	return 0;
}
