/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A buffer of one place with one condition variable for both "not full" and "not empty": the signal can wake the wrong side. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;
static int place;

static void *produce(void *arg)
{
	(void)arg;
	for (int i = 1; i <= 2; i++) {
		pthread_mutex_lock(&lock);
		while (full)
			pthread_cond_wait(&changed, &lock);
		place = i;
		full = 1;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

/* Takes a moment, without any visible operation, so that a free run passes. */
static void warm_up(void)
{
	for (int i = 0; i < 400000; i++)
		__asm__ volatile("");
}

static void *consume(void *arg)
{
	warm_up();
	pthread_mutex_lock(&lock);
	while (!full)
		pthread_cond_wait(&changed, &lock);
	*(int *)arg = place;
	full = 0;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t producer, consumers[2];
	int got[2];

	pthread_create(&producer, NULL, produce, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&consumers[i], NULL, consume, &got[i]);
	pthread_join(producer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(consumers[i], NULL);
	return got[0] + got[1] == 3 ? 0 : 1;
}
