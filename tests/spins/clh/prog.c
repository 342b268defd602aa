/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CLH queue lock: each spins on its predecessor's node and goes on with that. Broken: each goes on with its own, which somebody may spin on. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int nodes[3]; /* 1: its owner has the lock or waits for it */
static _Atomic(atomic_int *) tail = &nodes[2];
static int n;

static void *add(void *arg)
{
	atomic_int *mine = arg;

	for (int i = 0; i < 2; i++) {
		atomic_int *before;

		atomic_store(mine, 1);
		before = atomic_exchange(&tail, mine);
		while (atomic_load(before))
			;
		n++;
		atomic_store(mine, 0);
#ifndef BROKEN
		mine = before;
#endif
	}
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, add, &nodes[0]);
	add(&nodes[1]);
	pthread_join(t, NULL);
	assert(n == 4);
	return 0;
}
