/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks with priority inheritance, by hand: taken and given back without the kernel if nobody else wants them. Both threads take them in the
 * same order. */
#include <assert.h>
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

static void *work(void *arg)
{
	(void)arg;
	take(&a);
	if (!take(&b))
		assert(!"a lock could not be taken");
	counter++;
	give(&b);
	give(&a);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2 && !a && !b);
	assert(syscall(SYS_futex, &a, FUTEX_TRYLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0 && a);
	give(&a);
	return 0;
}
