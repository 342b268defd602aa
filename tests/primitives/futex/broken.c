/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two wait on a raw futex, one is woken. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static long futex(atomic_int *word, int op, int value)
{
	return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void *wait_for_it(void *arg)
{
	(void)arg;
	while (atomic_load(&word) == 0)
		futex(&word, FUTEX_WAIT, 0);
	return NULL;
}

static void *wake(void *arg)
{
	(void)arg;
	atomic_store(&word, 1);
	futex(&word, FUTEX_WAKE, 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, wake, NULL);
	pthread_create(&threads[1], NULL, wait_for_it, NULL);
	pthread_create(&threads[2], NULL, wait_for_it, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
