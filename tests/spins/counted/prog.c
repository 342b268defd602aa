/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A try that looks several times, gives way the last of them, and is tried again and again, as C++20's semaphores do.
 * Broken: what is to be taken is there before what stands in it. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define LOOKS 16
#define BUSY 12

static atomic_int items;
static int in_it;

static bool try_take(void)
{
	for (int i = 0; i < LOOKS; i++) {
		int n = atomic_load(&items);

		if (n && atomic_compare_exchange_strong(&items, &n, n - 1))
			return true;
		if (i >= BUSY)
			sched_yield();
	}
	return false;
}

static void *taker(void *arg)
{
	while (!try_take())
		;
	assert(in_it == 1);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, taker, NULL);
#ifdef BROKEN
	atomic_fetch_add(&items, 1);
	in_it = 1;
#else
	in_it = 1;
	atomic_fetch_add(&items, 1);
#endif
	pthread_join(t, NULL);
	return 0;
}
