/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deferred cancellation: acts at a cancellation point only, runs the cleanup handlers and key destructors, is held off while disabled. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t started;
static int cleaned, key_ended, finished_part, pipe_fds[2];
static pthread_key_t key;

static void clean(void *arg)
{
	cleaned += *(int *)arg;
}

static void key_ends(void *arg)
{
	key_ended += *(int *)arg;
}

static void *at_testcancel(void *arg)
{
	static int amounts[2] = {1, 10};

	(void)arg;
	pthread_setspecific(key, &amounts[0]);
	pthread_cleanup_push(clean, &amounts[0]);
	pthread_cleanup_push(clean, &amounts[1]);
	sem_post(&started);
	for (;;)
		pthread_testcancel();
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *disabled(void *arg)
{
	static int amount = 100;
	int old;

	(void)arg;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	pthread_cleanup_push(clean, &amount);
	sem_post(&started);
	for (int i = 0; i < 3; i++)
		pthread_testcancel();
	finished_part = 1;
	pthread_setcancelstate(old, NULL);
	for (;;)
		pthread_testcancel();
	pthread_cleanup_pop(0);
	return NULL;
}

static void *in_read(void *arg)
{
	static int amount = 1000;
	char byte;

	(void)arg;
	pthread_cleanup_push(clean, &amount);
	sem_post(&started);
	read(pipe_fds[0], &byte, 1);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	static void *(*const bodies[])(void *) = {at_testcancel, disabled, in_read};

	sem_init(&started, 0, 0);
	pthread_key_create(&key, key_ends);
	if (pipe(pipe_fds))
		return 1;
	for (int i = 0; i < 3; i++) {
		pthread_t t;
		void *result;

		pthread_create(&t, NULL, bodies[i], NULL);
		sem_wait(&started);
		pthread_cancel(t);
		pthread_join(t, &result);
		printf("body %d: %s\n", i, result == PTHREAD_CANCELED ? "cancelled" : "ended");
	}
	printf("cleaned %d, keys %d, finished %d\n", cleaned, key_ended, finished_part);
	return 0;
}
