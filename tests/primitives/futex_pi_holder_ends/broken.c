/* SPDX-License-Identifier: GPL-2.0-or-later */
/* That a lock with priority inheritance has been taken is taken for granted, although its owner may have ended with it. */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic unsigned word;

static void *take_and_end(void *arg)
{
	(void)arg;
	syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0);
	return NULL;
}

static void *take(void *arg)
{
	(void)arg;
	syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0);
	assert(!(word & FUTEX_OWNER_DIED) && (word & FUTEX_TID_MASK) == (unsigned)syscall(SYS_gettid));
	syscall(SYS_futex, &word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, take_and_end, NULL);
	pthread_create(&threads[1], NULL, take, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
