/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The waiter is woken where it waited first, but it has been led elsewhere. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word, target, go;

static void *wait_for_it(void *arg)
{
	(void)arg;
	while (!atomic_load(&go))
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return NULL;
}

/* Whoever waits at the word is led to the other one and woken there. */
static void *wake(void *arg)
{
	(void)arg;
	atomic_store(&go, 1);
	atomic_store(&word, 1);
	syscall(SYS_futex, &word, FUTEX_REQUEUE_PRIVATE, 0, (void *)(uintptr_t)1, &target, 0);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, wake, NULL);
	pthread_create(&threads[1], NULL, wait_for_it, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
