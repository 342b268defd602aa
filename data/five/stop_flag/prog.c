/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A driver's stop flag: an operation looks whether the driver is stopping, then counts itself in; the stopper waits for the count to be
 * nought and takes the driver down in between. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int stopping, pending = 1, stopped;

static void leave(void)
{
	if (atomic_fetch_sub(&pending, 1) == 1)
		atomic_store(&stopped, 1);
}

static void *operation(void *arg)
{
	(void)arg;
	for (int i = 0; i < 3; i++) {
		if (atomic_load(&stopping))
			return NULL;
		atomic_fetch_add(&pending, 1); /* here: too late */
		assert(!atomic_load(&stopped));
		leave();
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, operation, NULL);
	for (int i = 0; i < 2; i++)
		if (i == 1) {
			atomic_store(&stopping, 1);
			leave();
		}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
