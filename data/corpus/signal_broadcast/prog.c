/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads may wait for the start, but only one of them is woken. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t started = PTHREAD_COND_INITIALIZER;
static int running;

static void *start(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	running = 1;
	pthread_cond_signal(&started);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Takes a moment, without any visible operation, so that a free run passes. */
static void warm_up(void)
{
	for (int i = 0; i < 400000; i++)
		__asm__ volatile("");
}

static void *wait_for_start(void *arg)
{
	(void)arg;
	warm_up();
	pthread_mutex_lock(&lock);
	while (!running)
		pthread_cond_wait(&started, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t starter, waiters[2];

	pthread_create(&starter, NULL, start, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&waiters[i], NULL, wait_for_start, NULL);
	pthread_join(starter, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(waiters[i], NULL);
	return 0;
}
