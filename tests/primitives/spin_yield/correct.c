/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A spin with sched_yield and a pause instruction. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int flag;

static void *wait_for_flag(void *arg)
{
	(void)arg;
	while (!atomic_load(&flag)) {
		__builtin_ia32_pause();
		sched_yield();
	}
	return NULL;
}

static void *set_flag(void *arg)
{
	(void)arg;
	atomic_store(&flag, 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, wait_for_flag, NULL);
	pthread_create(&threads[1], NULL, set_flag, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
