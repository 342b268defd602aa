/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that can be cancelled half-way through its update. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int parts[2];

static void *work(void *arg)
{
	(void)arg;
	pthread_testcancel();
	parts[0]++;
	pthread_testcancel();
	parts[1]++;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	assert(parts[0] == parts[1]);
	return 0;
}
