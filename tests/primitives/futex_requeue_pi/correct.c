/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A condition variable by hand whose mutex has priority inheritance: those who wait are woken as owners of the lock, or wait for it where it
 * is given back. */
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic unsigned sequence, lock;
static int told, counter;

static unsigned me(void)
{
	return (unsigned)syscall(SYS_gettid);
}

static void take(void)
{
	unsigned nobody = 0;

	if (!atomic_compare_exchange_strong(&lock, &nobody, me()))
		assert(syscall(SYS_futex, &lock, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
}

static void give(void)
{
	unsigned mine = me();

	if (!atomic_compare_exchange_strong(&lock, &mine, 0))
		assert(syscall(SYS_futex, &lock, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
}

static void *wait_for_it(void *arg)
{
	(void)arg;
	take();
	while (!told) {
		const unsigned seen = sequence;

		give();
		if (syscall(SYS_futex, &sequence, FUTEX_WAIT_REQUEUE_PI_PRIVATE, seen, NULL, &lock, 0) != 0) {
			assert(errno == EAGAIN);
			take();
		}
	}
	assert((lock & FUTEX_TID_MASK) == me());
	counter++;
	give();
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, wait_for_it, NULL);
	take();
	told = 1;
	sequence++;
	assert(syscall(SYS_futex, &sequence, FUTEX_CMP_REQUEUE_PI_PRIVATE, 1, 10L, &lock, sequence) >= 0);
	give();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2 && !lock);
	return 0;
}
