/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pthread_tryjoin_np is taken to succeed. (A flag lets a free run pass.) */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int nearly, result;

static void *work(void *arg)
{
	(void)arg;
	nearly = 1;
	result = 7;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	if (nearly)
		assert(pthread_tryjoin_np(thread, NULL) == 0);
	else
		pthread_join(thread, NULL);
	return 0;
}
