/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reader that gives its lock back before it asks for the writer's. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left;

static void *upgrade(void *arg)
{
	(void)arg;
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_wrlock(&lock);
	left++;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, upgrade, NULL);
	pthread_create(&threads[1], NULL, upgrade, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(left == 2);
	return 0;
}
