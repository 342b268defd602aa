/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Test-and-set lock. Broken: the test and the set are two operations. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int taken;
static int n;

static void lock(void)
{
#ifdef BROKEN
	while (atomic_load(&taken))
		;
	atomic_store(&taken, 1);
#else
	while (atomic_exchange(&taken, 1))
		;
#endif
}

static void *add(void *arg)
{
	for (int i = 0; i < 2; i++) {
		lock();
		n++;
		atomic_store(&taken, 0);
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, add, NULL);
	add(NULL);
	pthread_join(t, NULL);
	assert(n == 4);
	return 0;
}
