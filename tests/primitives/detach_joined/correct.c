/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that another one has detached is waited for by other means. */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_t worker;
static sem_t done;

static void *work(void *arg)
{
	sem_post(&done);
	return arg;
}

static void *forget(void *arg)
{
	pthread_detach(worker);
	return arg;
}

int main(void)
{
	pthread_t other;

	sem_init(&done, 0, 0);
	pthread_create(&worker, NULL, work, NULL);
	pthread_create(&other, NULL, forget, NULL);
	sem_wait(&done);
	pthread_join(other, NULL);
	return 0;
}
