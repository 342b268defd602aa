/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Peterson's mutual exclusion. Broken: the turn is given away before the wish is announced. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int wants[2], turn;
static int n;

static void *add(void *arg)
{
	const int me = (int)(long)arg;

#ifdef BROKEN
	atomic_store(&turn, !me);
	atomic_store(&wants[me], 1);
#else
	atomic_store(&wants[me], 1);
	atomic_store(&turn, !me);
#endif
	while (atomic_load(&wants[!me]) && atomic_load(&turn) == !me)
		;
	n++;
	atomic_store(&wants[me], 0);
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, add, (void *)1);
	add((void *)0);
	pthread_join(t, NULL);
	assert(n == 2);
	return 0;
}
