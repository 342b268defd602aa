/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads may wait for the end of a third one. Its handle says nothing any more once it was joined. */
#include <pthread.h>
#include <stddef.h>

static pthread_t worker;
static volatile int stopped, joined;

static void *work(void *arg)
{
	stopped = 1;
	return arg;
}

static void *stop(void *arg)
{
	if (!joined)
		pthread_join(worker, NULL);
	joined = 1;
	return arg;
}

int main(void)
{
	pthread_t stopper;

	pthread_create(&worker, NULL, work, NULL);
	pthread_create(&stopper, NULL, stop, NULL);
	if (!joined)
		pthread_join(worker, NULL);
	joined = 1;
	pthread_join(stopper, NULL);
	return stopped ? 0 : 1;
}
