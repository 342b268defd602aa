/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RegionOwnership: objects in regions; a producer hands a region to a consumer by asynchronous calls. The consumer looks twice at the
 * owner and once at the announcement, and is fooled if the producer stops at one just when the consumer stops at the other. */
#include <assert.h>
#include <stdatomic.h>

#include "../table1.h"

#define OTHERS 2
#define CALLS 12 /* that are handed over properly before */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls;
static atomic_int owner, announced;

static void call_properly(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_mutex_lock(&lock);
		calls++;
		pthread_mutex_unlock(&lock);
	}
}

static void *producer(void *arg)
{
	(void)arg;
	call_properly(CALLS);
	atomic_store(&owner, 1);
	atomic_store(&announced, 1);
	atomic_store(&announced, 0);
	return NULL;
}

static void *consumer(void *arg)
{
	int first, second, third;

	(void)arg;
	call_properly(CALLS);
	first = atomic_load(&owner);
	second = atomic_load(&owner);
	third = atomic_load(&announced);
	assert(first == second || third != 1);
	return NULL;
}

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	work(me, 2 + OTHERS, 37);
	if (me == 0)
		return producer(arg);
	if (me == 1)
		return consumer(arg);
	call_properly(2);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[2 + OTHERS];

	table1_begin(argc, argv);
	start_all(workers, 2 + OTHERS, worker);
	join_all(workers, 2 + OTHERS);
	return 0;
}
