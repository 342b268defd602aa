/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers share, writers exclude. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *write_pair(void *arg)
{
	(void)arg;
	pthread_rwlock_wrlock(&lock);
	left++;
	right++;
	pthread_rwlock_unlock(&lock);
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
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, write_pair, NULL);
	pthread_create(&threads[1], NULL, read_pair, NULL);
	pthread_create(&threads[2], NULL, read_pair, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
