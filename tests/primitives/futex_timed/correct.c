/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits with time-outs: one relative, one until a moment. The loop around them waits for the value. */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word;
static int value;

static void *put(void *arg)
{
	(void)arg;
	value = 1;
	atomic_store(&word, 1);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return NULL;
}

static void *take(void *arg)
{
	const struct timespec second = {.tv_sec = 1};
	struct timespec until;

	(void)arg;
	if (!atomic_load(&word))
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &second, NULL, 0);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	while (!atomic_load(&word))
		if (syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, NULL, FUTEX_BITSET_MATCH_ANY) == -1)
			until.tv_sec++;
	assert(value == 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, put, NULL);
	pthread_create(&threads[1], NULL, take, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
