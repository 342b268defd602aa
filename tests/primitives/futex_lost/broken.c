/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The word that is waited at never changes: a wake-up between the look at the flag and the wait is missed. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int flag, word;

static void *wait_for_it(void *arg)
{
	(void)arg;
	for (int seen = atomic_load(&word); !atomic_load(&flag); seen = atomic_load(&word))
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
	return NULL;
}

int main(void)
{
	pthread_t waiter;

	pthread_create(&waiter, NULL, wait_for_it, NULL);
	atomic_store(&flag, 1);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	pthread_join(waiter, NULL);
	return 0;
}
