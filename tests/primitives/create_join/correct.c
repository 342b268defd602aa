/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result is read after the join. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int result;

static void *work(void *arg)
{
	(void)arg;
	result = 7;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	assert(result == 7);
	return 0;
}
