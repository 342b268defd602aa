/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lock of the default kind, which one reader may take twice. */
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value, seen;

static int value_of(void)
{
	int now;

	pthread_rwlock_rdlock(&lock);
	now = value;
	pthread_rwlock_unlock(&lock);
	return now;
}

static void *reads(void *arg)
{
	pthread_rwlock_rdlock(&lock);
	seen = value_of();
	pthread_rwlock_unlock(&lock);
	return arg;
}

static void *writes(void *arg)
{
	pthread_rwlock_wrlock(&lock);
	value = 1;
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, reads, NULL);
	pthread_create(&threads[1], NULL, writes, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
