/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compare-and-swap lock with exponential back-off. Broken: after some tries it goes in. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int taken;
static int n;

static void lock(void)
{
	int expected = 0;

	for (int pause = 1; !atomic_compare_exchange_strong(&taken, &expected, 1); expected = 0) {
#ifdef BROKEN
		if (pause >= 8)
			return;
#endif
		for (int i = 0; i < pause; i++)
			sched_yield();
		pause = pause < 8 ? 2 * pause : 8;
	}
}

static void *add(void *arg)
{
	lock();
	n++;
	atomic_store(&taken, 0);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, add, NULL);
	add(NULL);
	pthread_join(t, NULL);
	assert(n == 2);
	return 0;
}
