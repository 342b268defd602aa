/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two tables are used together; one of the users waits for its second lock for a second, which is enough. */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t users = PTHREAD_MUTEX_INITIALIZER, groups = PTHREAD_MUTEX_INITIALIZER;
static int members;

static void *lists(void *arg)
{
	struct timespec until;
	int r;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	pthread_mutex_lock(&users);
	r = pthread_mutex_timedlock(&groups, &until);
	assert(r == 0);
	members++;
	pthread_mutex_unlock(&groups);
	pthread_mutex_unlock(&users);
	return arg;
}

static void *adds(void *arg)
{
#ifdef FIXED
	pthread_mutex_lock(&users);
	pthread_mutex_lock(&groups);
#else
	pthread_mutex_lock(&groups);
	pthread_mutex_lock(&users);
#endif
	members++;
	pthread_mutex_unlock(&groups);
	pthread_mutex_unlock(&users);
	return arg;
}

int main(void)
{
	pthread_t one, two;

	pthread_create(&one, NULL, lists, NULL);
	pthread_create(&two, NULL, adds, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	assert(members == 2);
	return 0;
}
