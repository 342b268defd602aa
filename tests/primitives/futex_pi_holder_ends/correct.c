/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread ends and still owns a lock with priority inheritance, for which another one waits: it gets it, marked. A lock whose owner has ended
 * before is not to be had. */
#include <assert.h>
#include <errno.h>
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
	if (syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == -1)
		assert(errno == ESRCH);
	else
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
