/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lock of the program's own whose system calls are instructions in its code: 0 free, 1 taken, 2 taken and somebody waits. Who gives it back wakes nobody. */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>

static atomic_int word;
static int counter;

static inline long futex(atomic_int *word, long op, long value)
{
	register long timeout __asm__("r10") = 0;
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "0"(SYS_futex), "D"(word), "S"(op), "d"(value), "r"(timeout) : "rcx", "r11", "memory");
	return result;
}

static void take(void)
{
	int seen = 0;

	if (atomic_compare_exchange_strong(&word, &seen, 1))
		return;
	while (atomic_exchange(&word, 2))
		futex(&word, FUTEX_WAIT_PRIVATE, 2);
}

static void give(void)
{
	atomic_store(&word, 0);
}

static void *work(void *arg)
{
	(void)arg;
	take();
	counter++;
	give();
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	return 0;
}
