/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A transfer in two steps under the lock; the audit adds up without it and fails. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int from = 10, to;

static void *transfer(void *arg)
{
	pthread_mutex_lock(&lock);
	from -= 5;
	to += 5;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *audit(void *arg)
{
	const int sum = from + to;

	assert(sum == 10);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, transfer, NULL);
	pthread_create(&t2, NULL, audit, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
