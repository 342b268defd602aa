/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As hoisted_read, but the loop does something: what it counts is the thread's own, and the flag is looked at no more. */
#include <pthread.h>
#include <stddef.h>

static int flag, waiters;

static void *wait_for_flag(void *arg)
{
	if (waiters < 2) {
		while (!flag) {
			volatile int turns = 0;

			turns++;
		}
	}
	return arg;
}

static void *set_flag(void *arg)
{
	__atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, wait_for_flag, NULL);
	pthread_create(&b, NULL, set_flag, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
