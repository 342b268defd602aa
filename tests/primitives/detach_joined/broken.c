/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread is detached by one who does not know that it may have been joined. */
#include <pthread.h>
#include <stddef.h>

static pthread_t worker;

static void *work(void *arg)
{
	return arg;
}

static void *forget(void *arg)
{
	pthread_detach(worker);
	return arg;
}

int main(void)
{
	pthread_t other;

	pthread_create(&worker, NULL, work, NULL);
	pthread_create(&other, NULL, forget, NULL);
	pthread_join(worker, NULL);
	pthread_join(other, NULL);
	return 0;
}
