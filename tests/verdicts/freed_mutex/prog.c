/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mutex that nobody holds is freed before a thread takes it. No access to the block shows that: only the lock. */
#include <pthread.h>
#include <stdlib.h>

static int visits;

static void *visit(void *mutex)
{
	pthread_mutex_lock(mutex);
	visits++;
	pthread_mutex_unlock(mutex);
	return NULL;
}

int main(void)
{
	pthread_mutex_t *mutex = malloc(sizeof(*mutex));
	pthread_t visitor;

	pthread_mutex_init(mutex, NULL);
	pthread_create(&visitor, NULL, visit, mutex);
	pthread_mutex_lock(mutex);
	visits++;
	pthread_mutex_unlock(mutex);
	free(mutex);
	pthread_join(visitor, NULL);
	return 0;
}
