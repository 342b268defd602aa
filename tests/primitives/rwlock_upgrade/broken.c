/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two readers, one of which asks for the writer's lock while it reads, when it is told to: it waits for itself. */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int wanted;

static void *upgrade(void *arg)
{
	(void)arg;
	pthread_rwlock_rdlock(&lock);
	if (wanted)
		if (pthread_rwlock_wrlock(&lock) == EDEADLK)
			abort();
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *want(void *arg)
{
	(void)arg;
	wanted = 1;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, upgrade, NULL);
	pthread_create(&threads[1], NULL, want, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
