/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flag is stored before the message; no fence can mend that. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static volatile int message;
static atomic_int posted;

static void *post(void *arg)
{
	(void)arg;
	atomic_store(&posted, 1);
	atomic_thread_fence(memory_order_seq_cst);
	message = 7;
	return NULL;
}

static void *look(void *arg)
{
	(void)arg;
	if (atomic_load(&posted)) {
		atomic_thread_fence(memory_order_seq_cst);
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
