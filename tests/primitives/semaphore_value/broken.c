/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at the value before it is known that the other thread has not posted yet. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t items;

static void *put(void *arg)
{
	(void)arg;
	sem_post(&items);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int value;

	sem_init(&items, 0, 0);
	pthread_create(&thread, NULL, put, NULL);
	sem_getvalue(&items, &value);
	assert(value == 0);
	pthread_join(thread, NULL);
	return 0;
}
