/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dekker's mutual exclusion: who must wait withdraws its wish until it is its turn. Broken: who has waited does not look again. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int wants[2], turn;
static int n;

static void lock(int me)
{
	atomic_store(&wants[me], 1);
#ifdef BROKEN
	if (atomic_load(&wants[!me])) {
#else
	while (atomic_load(&wants[!me])) {
#endif
		if (atomic_load(&turn) == me)
#ifdef BROKEN
			return;
#else
			continue;
#endif
		atomic_store(&wants[me], 0);
		while (atomic_load(&turn) != me)
			;
		atomic_store(&wants[me], 1);
	}
}

static void *add(void *arg)
{
	const int me = (int)(long)arg;

	lock(me);
	n++;
	atomic_store(&turn, !me);
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
