/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plain flag in a loop without a body: at -O2 it is read once, and then the thread jumps on the spot for ever. */
#include <pthread.h>
#include <stddef.h>

static int flag;

static void *wait_for_flag(void *arg)
{
	while (!flag)
		;
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
