/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A compare-and-swap of 16 bytes, repeated until it succeeds. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static __int128 pair;

static void *add(void *arg)
{
	(void)arg;
	__int128 seen = __atomic_load_n(&pair, __ATOMIC_SEQ_CST);

	while (!__atomic_compare_exchange_n(&pair, &seen, seen + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(pair == 2);
	return 0;
}
