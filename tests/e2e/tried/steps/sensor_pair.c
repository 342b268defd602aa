/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sensor whose two values are written one after the other; readers see half. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct reading {
	int low, high;
};

struct sensor {
	pthread_rwlock_t lock;
	struct reading last;
	int alarms;
};

static struct sensor sensor = {.lock = PTHREAD_RWLOCK_INITIALIZER, .last = {0, 10}};

static void sensor_store(struct sensor *s, int low, int high)
{
#ifdef FIXED
	pthread_rwlock_wrlock(&s->lock);
#endif
	s->last.low = low;
	s->last.high = high;
#ifdef FIXED
	pthread_rwlock_unlock(&s->lock);
#endif
}

static int sensor_range(struct sensor *s)
{
	pthread_rwlock_rdlock(&s->lock);
	int r = s->last.high - s->last.low;
	pthread_rwlock_unlock(&s->lock);
	return r;
}

static void *sampler(void *arg)
{
	struct sensor *s = arg;
	sensor_store(s, 20, 30);
	return NULL;
}

static void *monitor(void *arg)
{
	struct sensor *s = arg;
	if (sensor_range(s) < 0)
		s->alarms++;
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, sampler, &sensor);
	pthread_create(&b, NULL, monitor, &sensor);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d alarms\n", sensor.alarms);
	assert(sensor.alarms == 0);
	return 0;
}
