/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for a flag in a loop that gives up. Broken: the result is not expected although five yields are few. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static volatile int flag;
static int gave_up;

static void *wait(void *arg)
{
	int i;

	for (i = 0; i < 5 && !flag; i++)
		sched_yield();
	gave_up = i == 5;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait, NULL);
	flag = 1;
	pthread_join(t, NULL);
#ifdef BROKEN
	assert(!gave_up);
#endif
	return 0;
}
