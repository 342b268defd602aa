/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `if` where `while` belongs: a consumer that was woken does not look again whether the item is still there. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

/* Takes a moment, without any visible operation, so that a free run passes. */
static void warm_up(void)
{
	for (int i = 0; i < 400000; i++)
		__asm__ volatile("");
}

static void *consume(void *arg)
{
	(void)arg;
	warm_up();
	pthread_mutex_lock(&lock);
	if (items == 0)
		pthread_cond_wait(&filled, &lock);
	assert(items > 0);
	items--;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *produce(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		items++;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t consumers[2], producer;

	pthread_create(&producer, NULL, produce, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&consumers[i], NULL, consume, NULL);
	pthread_join(producer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(consumers[i], NULL);
	return 0;
}
