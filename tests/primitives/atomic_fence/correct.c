/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Publication by fences and relaxed accesses. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int message;
static atomic_int posted;

static void *post(void *arg)
{
	(void)arg;
	message = 7;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&posted, 1, memory_order_relaxed);
	return NULL;
}

static void *look(void *arg)
{
	(void)arg;
	if (atomic_load_explicit(&posted, memory_order_relaxed)) {
		atomic_thread_fence(memory_order_acquire);
		assert(message == 7);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, look, NULL);
	pthread_create(&threads[1], NULL, post, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
