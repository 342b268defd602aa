/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts for longer than anybody waits: whether it spins cannot be told. */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static volatile int flag;

static void *wait(void *arg)
{
	for (int i = 0; i < 100000 && !flag; i++)
		sched_yield(); /* held back here */
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait, NULL);
	flag = 1;
	pthread_join(t, NULL);
	return 0;
}
