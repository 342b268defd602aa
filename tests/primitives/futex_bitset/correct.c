/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A wake-up reaches the waiter that it is meant for, whoever waited first. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word, go[2];

/* Two waiters at one word, each with a bit of its own. */
static void *wait_for_it(void *arg)
{
	const int who = arg != NULL;
	const unsigned bit = 1u << who;
	int seen;

	while (seen = atomic_load(&word), !atomic_load(&go[who]))
		syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, seen, NULL, NULL, bit);
	return NULL;
}

static void wake(int who, unsigned bits)
{
	atomic_store(&go[who], 1);
	atomic_fetch_add(&word, 1);
	syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, bits);
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, wait_for_it, NULL);
	pthread_create(&threads[1], NULL, wait_for_it, &word);
	wake(1, 2u);
	pthread_join(threads[1], NULL);
	wake(0, 1u);
	pthread_join(threads[0], NULL);
	return 0;
}
