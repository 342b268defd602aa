/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for one of several futexes, which has no model. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_futex_waitv /* Linux 5.16 */
#define SYS_futex_waitv 449
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *arg)
{
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, add, NULL))
		return 2;
	syscall(SYS_futex_waitv, NULL, 1, 0, NULL, 0);
	pthread_join(thread, NULL);
	return counter != 1;
}
