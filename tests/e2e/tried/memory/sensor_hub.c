/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hub calls back whoever has subscribed to a sensor, with the pointer that was left with the callback.
 * Bug: who unsubscribes frees what the pointer leads to, while a callback may be under way.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SUBSCRIBERS 4

typedef void (*sensor_callback)(int value, void *user_data);

struct subscriber {
	sensor_callback callback;
	void *user_data;
	bool used;
};

struct hub {
	pthread_mutex_t mutex;
	struct subscriber subscribers[SUBSCRIBERS];
#ifdef FIXED
	pthread_cond_t idle;
	int calling;
#endif
};

static void hub_init(struct hub *h)
{
	memset(h, 0, sizeof(*h));
	pthread_mutex_init(&h->mutex, NULL);
#ifdef FIXED
	pthread_cond_init(&h->idle, NULL);
#endif
}

static int hub_subscribe(struct hub *h, sensor_callback callback, void *user_data)
{
	int id = -1;

	pthread_mutex_lock(&h->mutex);
	for (int i = 0; i < SUBSCRIBERS && id < 0; i++) {
		if (h->subscribers[i].used)
			continue;
		h->subscribers[i] = (struct subscriber){ callback, user_data, true };
		id = i;
	}
	pthread_mutex_unlock(&h->mutex);
	return id;
}

static void hub_unsubscribe(struct hub *h, int id)
{
	pthread_mutex_lock(&h->mutex);
	h->subscribers[id].used = false;
#ifdef FIXED
	while (h->calling > 0)
		pthread_cond_wait(&h->idle, &h->mutex);
#endif
	pthread_mutex_unlock(&h->mutex);
}

/* Callbacks are called without the lock: they may subscribe, too. */
static void hub_publish(struct hub *h, int value)
{
	struct subscriber now[SUBSCRIBERS];

	pthread_mutex_lock(&h->mutex);
	memcpy(now, h->subscribers, sizeof(now));
#ifdef FIXED
	h->calling++;
#endif
	pthread_mutex_unlock(&h->mutex);
	for (int i = 0; i < SUBSCRIBERS; i++)
		if (now[i].used)
			now[i].callback(value, now[i].user_data);
#ifdef FIXED
	pthread_mutex_lock(&h->mutex);
	h->calling--;
	pthread_cond_broadcast(&h->idle);
	pthread_mutex_unlock(&h->mutex);
#endif
}

/* ---- who uses it */

struct average {
	long sum;
	int n;
};

static void add_to_average(int value, void *user_data)
{
	struct average *average = user_data;

	average->sum += value;
	average->n++;
}

static void *read_sensor(void *arg)
{
	struct hub *hub = arg;

	for (int i = 0; i < 2; i++)
		hub_publish(hub, 20 + i);
	return NULL;
}

int main(void)
{
	struct hub hub;
	struct average *average = calloc(1, sizeof(*average));
	pthread_t sensor;
	int id;

	assert(average);
	hub_init(&hub);
	id = hub_subscribe(&hub, add_to_average, average);
	assert(id >= 0);
	pthread_create(&sensor, NULL, read_sensor, &hub);
	hub_unsubscribe(&hub, id);
	free(average);
	pthread_join(sensor, NULL);
	return 0;
}
