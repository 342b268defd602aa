// SPDX-License-Identifier: GPL-2.0-or-later
// Waits with limits: a reply that comes, one that never does; conditions on the monotonic clock, timed locks.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct reply {
	pthread_mutex_t lock;
	pthread_cond_t come;
	int ready, value;
};

static void reply_init(struct reply *r)
{
	pthread_condattr_t attr;

	*r = (struct reply){ .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_condattr_init(&attr);
	assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
	pthread_cond_init(&r->come, &attr);
	pthread_condattr_destroy(&attr);
}

static struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += ms % 1000 * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	return t;
}

/* 0, or ETIMEDOUT. */
static int reply_wait(struct reply *r, long ms, int *value)
{
	struct timespec until = in_ms(CLOCK_MONOTONIC, ms);
	int e = 0;

	pthread_mutex_lock(&r->lock);
	while (!r->ready && e != ETIMEDOUT)
		e = pthread_cond_timedwait(&r->come, &r->lock, &until);
	e = r->ready ? 0 : e;
	*value = r->value;
	pthread_mutex_unlock(&r->lock);
	return e;
}

static void *answer(void *arg)
{
	struct reply *r = arg;
	struct timespec nap = { .tv_nsec = 20000000 };

	nanosleep(&nap, NULL);
	pthread_mutex_lock(&r->lock);
	r->value = 42;
	r->ready = 1;
	pthread_cond_signal(&r->come);
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static pthread_mutex_t slow = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;

static void *holds(void *arg)
{
	pthread_barrier_t *both = arg;

	pthread_mutex_lock(&slow);
	pthread_rwlock_wrlock(&table);
	pthread_barrier_wait(both);
	pthread_barrier_wait(both);
	pthread_rwlock_unlock(&table);
	pthread_mutex_unlock(&slow);
	return NULL;
}

static void timed_locks(void)
{
	pthread_barrier_t both;
	struct timespec until;
	pthread_t t;

	pthread_barrier_init(&both, NULL, 2);
	assert(pthread_create(&t, NULL, holds, &both) == 0);
	pthread_barrier_wait(&both);
	until = in_ms(CLOCK_REALTIME, 50);
	assert(pthread_mutex_timedlock(&slow, &until) == ETIMEDOUT);
	until = in_ms(CLOCK_REALTIME, 50);
	assert(pthread_rwlock_timedrdlock(&table, &until) == ETIMEDOUT);
	pthread_barrier_wait(&both);
	pthread_join(t, NULL);
	until = in_ms(CLOCK_REALTIME, 50);
	assert(pthread_mutex_timedlock(&slow, &until) == 0);
	pthread_mutex_unlock(&slow);
	pthread_barrier_destroy(&both);
}

int main(void)
{
	struct reply comes, never;
	pthread_t t;
	int value;

	reply_init(&comes);
	reply_init(&never);
	assert(pthread_create(&t, NULL, answer, &comes) == 0);
	while (reply_wait(&comes, 10000, &value))
		assert(value == 0);
	assert(value == 42);
	assert(reply_wait(&never, 30, &value) == ETIMEDOUT && value == 0);
	pthread_join(t, NULL);
	timed_locks();
	return 0;
}
