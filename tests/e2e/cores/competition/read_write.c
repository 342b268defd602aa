/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reader under a lock for reading may come before the writers. */
#include "../two.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int first, second;

static void *write_first(void *arg)
{
	pthread_rwlock_wrlock(&lock);
	first = 1;
	pthread_rwlock_unlock(&lock);
	return arg;
}

static void *write_second(void *arg)
{
	pthread_rwlock_wrlock(&lock);
	second = 2;
	pthread_rwlock_unlock(&lock);
	return arg;
}

static void *read_both(void *arg)
{
	int sum;

	pthread_rwlock_rdlock(&lock);
	sum = first + second;
	pthread_rwlock_unlock(&lock);
	assert(sum == 3);
	return arg;
}

int main(void)
{
	together(write_first, write_second, read_both);
	return 0;
}
