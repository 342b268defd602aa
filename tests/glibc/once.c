/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pthread_once: one runs the routine, the others wait for it, and all see what it did. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int runs, ready, late;

static void routine(void)
{
	runs++;
	for (int i = 0; i < 3; i++)
		sched_yield();
	ready = 1;
}

static void *body(void *arg)
{
	(void)arg;
	pthread_once(&once, routine);
	pthread_mutex_lock(&lock);
	late += !ready;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, body, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("runs %d, went on before it was done %d\n", runs, late);
	return 0;
}
