/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Correct: a value published by a release store and picked up by an acquire load. */
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
	atomic_store_explicit(&posted, 1, memory_order_release);
	return NULL;
}

static void *look(void *arg)
{
	(void)arg;
	if (atomic_load_explicit(&posted, memory_order_acquire))
		assert(message == 7);
	return NULL;
}

int main(void)
{
	pthread_t poster, looker;

	pthread_create(&poster, NULL, post, NULL);
	pthread_create(&looker, NULL, look, NULL);
	pthread_join(poster, NULL);
	pthread_join(looker, NULL);
	return 0;
}
