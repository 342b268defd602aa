/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Correct: a buffer of one place with a condition variable for each side and `while` around each wait. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static int full;
static int place;

static void *produce(void *arg)
{
	(void)arg;
	for (int i = 1; i <= 2; i++) {
		pthread_mutex_lock(&lock);
		while (full)
			pthread_cond_wait(&emptied, &lock);
		place = i;
		full = 1;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *consume(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!full)
		pthread_cond_wait(&filled, &lock);
	*(int *)arg = place;
	full = 0;
	pthread_cond_signal(&emptied);
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
	assert(got[0] + got[1] == 3);
	return 0;
}
