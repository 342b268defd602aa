/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mutex destroyed by main as soon as the work looks done: before the worker has unlocked it. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static volatile int counter;

static void *use(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	counter = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_mutex_init(&lock, NULL);
	pthread_create(&thread, NULL, use, NULL);
	if (counter == 1)
		pthread_mutex_destroy(&lock);
	pthread_join(thread, NULL);
	return 0;
}
