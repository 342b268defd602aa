/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reference counter: giving one back is a read and a write. Who reads one frees the object; two may, or nobody. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int references = 1, freed;

static void get(void)
{
	atomic_fetch_add(&references, 1);
}

static void put(void)
{
	const int n = atomic_load(&references);

	atomic_store(&references, n - 1); /* here */
	if (n == 1)
		atomic_fetch_add(&freed, 1);
}

static void *user(void *arg)
{
	(void)arg;
	put();
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++) {
		get();
		pthread_create(&threads[i], NULL, user, NULL);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	put();
	assert(freed == 1);
	return 0;
}
