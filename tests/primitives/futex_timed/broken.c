/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A wait with a time-out is taken to have been woken. */
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

	(void)arg;
	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &second, NULL, 0);
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
