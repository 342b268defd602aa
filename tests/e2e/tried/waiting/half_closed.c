// SPDX-License-Identifier: GPL-2.0-or-later
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#define ROOM 1

struct channel {
	pthread_mutex_t lock;
	pthread_cond_t filled, drained;
	int held;
	bool closed;
};

static struct channel line = { .lock = PTHREAD_MUTEX_INITIALIZER,
	                       .filled = PTHREAD_COND_INITIALIZER,
	                       .drained = PTHREAD_COND_INITIALIZER };

static bool channel_send(struct channel *c)
{
	bool sent = false;

	pthread_mutex_lock(&c->lock);
	while (c->held == ROOM && !c->closed)
		pthread_cond_wait(&c->drained, &c->lock);
	if (!c->closed) {
		c->held++;
		sent = true;
		pthread_cond_signal(&c->filled);
	}
	pthread_mutex_unlock(&c->lock);
	return sent;
}

static bool channel_receive(struct channel *c)
{
	bool received = false;

	pthread_mutex_lock(&c->lock);
	while (c->held == 0 && !c->closed)
		pthread_cond_wait(&c->filled, &c->lock);
	if (c->held) {
		c->held--;
		received = true;
		pthread_cond_signal(&c->drained);
	}
	pthread_mutex_unlock(&c->lock);
	return received;
}

static void channel_close(struct channel *c)
{
	pthread_mutex_lock(&c->lock);
	c->closed = true;
	pthread_cond_broadcast(&c->filled);
#ifdef FIXED
	pthread_cond_broadcast(&c->drained);
#endif
	pthread_mutex_unlock(&c->lock);
}

static void *produce(void *arg)
{
	for (int i = 0; i < 3; i++)
		if (!channel_send(&line))
			break;
	return arg;
}

int main(void)
{
	pthread_t producer;

	pthread_create(&producer, NULL, produce, NULL);
	assert(channel_receive(&line));
	channel_close(&line);
	pthread_join(producer, NULL);
	return 0;
}
