/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sequence lock: a reader tries again while the writer is at work. Broken: it looks at the sequence only before. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint sequence;
static atomic_int a, b;

static void *write_both(void *arg)
{
	for (int i = 1; i <= 2; i++) {
		atomic_fetch_add(&sequence, 1);
		atomic_store(&a, i);
		atomic_store(&b, i);
		atomic_fetch_add(&sequence, 1);
	}
	return arg;
}

int main(void)
{
	pthread_t t;
	unsigned before;
	int x, y;

	pthread_create(&t, NULL, write_both, NULL);
	do {
		while ((before = atomic_load(&sequence)) & 1)
			;
		x = atomic_load(&a);
		y = atomic_load(&b);
#ifdef BROKEN
		break;
#endif
	} while (atomic_load(&sequence) != before);
	pthread_join(t, NULL);
	assert(x == y);
	return 0;
}
