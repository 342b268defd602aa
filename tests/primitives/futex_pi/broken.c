/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks with priority inheritance, by hand: taken and given back without the kernel if nobody else wants them. The threads take
 * them in opposite order. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic unsigned a, b;
static int counter;

static bool take(_Atomic unsigned *word)
{
	unsigned nobody = 0;

	return atomic_compare_exchange_strong(word, &nobody, (unsigned)syscall(SYS_gettid)) || syscall(SYS_futex, word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0;
}

static void give(_Atomic unsigned *word)
{
	unsigned me = (unsigned)syscall(SYS_gettid);

	if (!atomic_compare_exchange_strong(word, &me, 0))
		syscall(SYS_futex, word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
}

static void *forth(void *arg)
{
	(void)arg;
	take(&a);
	take(&b);
	counter++;
	give(&b);
	give(&a);
	return NULL;
}

static void *back(void *arg)
{
	(void)arg;
	take(&b);
	take(&a);
	counter++;
	give(&a);
	give(&b);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, forth, NULL);
	pthread_create(&threads[1], NULL, back, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return counter != 2;
}
