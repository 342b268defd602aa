/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A writer that reads on when trywrlock fails. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *write_pair(void *arg)
{
	(void)arg;
	if (pthread_rwlock_trywrlock(&lock) == 0) {
		left++;
		right++;
		pthread_rwlock_unlock(&lock);
	}
	return NULL;
}

static void *read_pair(void *arg)
{
	(void)arg;
	pthread_rwlock_rdlock(&lock);
	assert(left == right);
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, write_pair, NULL);
	pthread_create(&threads[1], NULL, read_pair, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(left == 1);
	return 0;
}
