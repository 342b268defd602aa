/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asynchronous cancellation: a thread that computes without end and reaches no cancellation point ends all the same. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t started;
static int cleaned;
static volatile unsigned long work;

static void clean(void *arg)
{
	(void)arg;
	cleaned++;
}

static void *computes(void *arg)
{
	int old;

	(void)arg;
	pthread_cleanup_push(clean, NULL);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	sem_post(&started);
	for (;;)
		work++;
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	pthread_t t;
	void *result;

	sem_init(&started, 0, 0);
	pthread_create(&t, NULL, computes, NULL);
	sem_wait(&started);
	pthread_cancel(t);
	pthread_join(t, &result);
	printf("%s, cleaned %d\n", result == PTHREAD_CANCELED ? "cancelled" : "ended", cleaned);
	return 0;
}
