// SPDX-License-Identifier: GPL-2.0-or-later
// Workers that pin themselves to one of the processors that the program may use, and look whether they are there.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static cpu_set_t all;
static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int nth_of(const cpu_set_t *set, int n)
{
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, set) && n-- == 0)
			return i;
	abort();
}

static void *works(void *arg)
{
	const int mine = nth_of(&all, (int)(long)arg % CPU_COUNT(&all));
	cpu_set_t one, now;

	CPU_ZERO(&one);
	CPU_SET(mine, &one);
	assert(pthread_getaffinity_np(pthread_self(), sizeof(now), &now) == 0 && CPU_EQUAL(&now, &all));
	assert(pthread_setaffinity_np(pthread_self(), sizeof(one), &one) == 0);
	assert(pthread_getaffinity_np(pthread_self(), sizeof(now), &now) == 0 && CPU_EQUAL(&now, &one));
	assert(sched_getaffinity(gettid(), sizeof(now), &now) == 0 && CPU_EQUAL(&now, &one));
	assert(sched_getcpu() == mine);
	pthread_mutex_lock(&lock);
	sum++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	cpu_set_t now;

	assert(sched_getaffinity(0, sizeof(all), &all) == 0 && CPU_COUNT(&all) > 0);
	assert(sysconf(_SC_NPROCESSORS_ONLN) >= CPU_COUNT(&all));
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, works, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(sched_getaffinity(getpid(), sizeof(now), &now) == 0 && CPU_EQUAL(&now, &all));
	assert(sum == 3);
	return 0;
}
