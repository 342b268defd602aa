/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One call changes a second word and wakes at both: the second only if it was 1 before, which it was not. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int first, second;

static void *wait_for_it(void *arg)
{
	atomic_int *word = arg;

	while (!atomic_load(word))
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, wait_for_it, &first);
	pthread_create(&threads[1], NULL, wait_for_it, &second);
	atomic_store(&first, 1);
	syscall(SYS_futex, &first, FUTEX_WAKE_OP_PRIVATE, 1, (void *)(uintptr_t)1, &second, FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 1));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
