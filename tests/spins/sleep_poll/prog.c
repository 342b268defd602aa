/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Polls with a sleep. Broken: the thread may set what it waits for after main has cleared it; then nothing but time changes. */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static volatile int hold;

static void *poll_it(void *arg)
{
#ifdef BROKEN
	hold = 1;
#endif
	while (hold)
		sleep(1);
	return arg;
}

int main(void)
{
	pthread_t t;

#ifndef BROKEN
	hold = 1;
#endif
	pthread_create(&t, NULL, poll_it, NULL);
	hold = 0;
	pthread_join(t, NULL);
	return 0;
}
