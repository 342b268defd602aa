/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads wait for each other without yielding. Broken: then both update a variable: one preemption loses an update. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int a, b;
static int n;

static void *work(void *arg)
{
	atomic_store(&b, 1);
	while (!atomic_load(&a))
		;
	n++;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	while (!atomic_load(&b))
		;
	atomic_store(&a, 1);
#ifdef BROKEN
	n++;
	pthread_join(t, NULL);
#else
	pthread_join(t, NULL);
	n++;
#endif
	assert(n == 2);
	return 0;
}
