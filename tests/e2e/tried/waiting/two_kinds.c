/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bounded buffer with one condition for those who wait for room and those who wait for goods, and signals to one. */
#include <pthread.h>
#include <stdio.h>

#define ROOM 1

struct buffer {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int used;
	int taken;
};

static struct buffer buffer = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };

static void tell(struct buffer *b)
{
#ifdef FIXED
	pthread_cond_broadcast(&b->changed);
#else
	pthread_cond_signal(&b->changed);
#endif
}

static void buffer_put(struct buffer *b)
{
	pthread_mutex_lock(&b->lock);
	while (b->used == ROOM)
		pthread_cond_wait(&b->changed, &b->lock);
	b->used++;
	tell(b);
	pthread_mutex_unlock(&b->lock);
}

static void buffer_take(struct buffer *b)
{
	pthread_mutex_lock(&b->lock);
	while (b->used == 0)
		pthread_cond_wait(&b->changed, &b->lock);
	b->used--;
	b->taken++;
	tell(b);
	pthread_mutex_unlock(&b->lock);
}

static void *producer(void *arg)
{
	(void)arg;
	buffer_put(&buffer);
	return NULL;
}

static void *consumer(void *arg)
{
	(void)arg;
	buffer_take(&buffer);
	return NULL;
}

int main(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 2; i++) {
		pthread_create(&threads[i], NULL, consumer, NULL);
		pthread_create(&threads[2 + i], NULL, producer, NULL);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%d taken\n", buffer.taken);
	return 0;
}
