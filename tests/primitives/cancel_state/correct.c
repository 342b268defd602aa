/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that has cancellation disabled during its update. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int parts[2];

static void *work(void *arg)
{
	int old;

	(void)arg;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	parts[0]++;
	pthread_testcancel();
	parts[1]++;
	pthread_setcancelstate(old, NULL);
	pthread_testcancel();
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
