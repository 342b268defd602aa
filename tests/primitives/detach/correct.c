/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A detached thread tells by a semaphore that it has done its work. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t done;
static int result;

static void *work(void *arg)
{
	(void)arg;
	result = 7;
	sem_post(&done);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sem_init(&done, 0, 0);
	pthread_create(&thread, NULL, work, NULL);
	pthread_detach(thread);
	sem_wait(&done);
	assert(result == 7);
	return 0;
}
