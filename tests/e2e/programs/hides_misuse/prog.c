/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A worker gives back a lock that main has taken, in every run; one order of the threads fails in another way. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *opens(void *arg)
{
	pthread_mutex_unlock(&gate);
	return arg;
}

static void *add(void *arg)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	count++;
	return arg;
}

int main(void)
{
	pthread_t opener, a, b;

	pthread_mutex_lock(&gate);
	pthread_create(&opener, NULL, opens, NULL);
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(opener, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(count == 2);
	return 0;
}
