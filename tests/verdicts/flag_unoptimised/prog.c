/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plain flag in a loop without a body, not optimised: every strategy brings it to its end. */
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
	flag = 1;
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
