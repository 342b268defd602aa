/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits how often clients may ask: a bucket of tokens for each client, filled up as time goes on.
 * Bug: how many tokens are due is worked out before the lock is taken, so that two threads fill them in twice.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 16
#define PER_TICK 1
#define ROOM 4

struct bucket {
	struct bucket *next;
	char client[NAME_MAX_BYTES];
	pthread_mutex_t mutex;
	unsigned tokens;
	unsigned filled_at; /* tick up to which tokens were filled in */
};

struct limiter {
	pthread_mutex_t mutex;
	struct bucket *buckets;
};

static struct bucket *find(struct limiter *l, const char *client)
{
	struct bucket *b;

	for (b = l->buckets; b; b = b->next)
		if (!strcmp(b->client, client))
			return b;
	return NULL;
}

static struct bucket *bucket_of(struct limiter *l, const char *client, unsigned now)
{
	struct bucket *b;

	pthread_mutex_lock(&l->mutex);
	b = find(l, client);
	if (!b) {
		b = calloc(1, sizeof(*b));
		assert(b);
		strncpy(b->client, client, sizeof(b->client) - 1);
		pthread_mutex_init(&b->mutex, NULL);
		b->filled_at = now;
		b->next = l->buckets;
		l->buckets = b;
	}
	pthread_mutex_unlock(&l->mutex);
	return b;
}

static void fill(struct bucket *b, unsigned due, unsigned now)
{
	b->tokens += due;
	if (b->tokens > ROOM)
		b->tokens = ROOM;
	b->filled_at = now;
}

static bool take(struct bucket *b)
{
	if (!b->tokens)
		return false;
	b->tokens--;
	return true;
}

/* May the client ask at this time? */
static bool limiter_allow(struct limiter *l, const char *client, unsigned now)
{
	struct bucket *b = bucket_of(l, client, now);
	unsigned due;
	bool allowed;

#ifdef FIXED
	pthread_mutex_lock(&b->mutex);
	due = (now - b->filled_at) * PER_TICK;
#else
	due = (now - b->filled_at) * PER_TICK;
	pthread_mutex_lock(&b->mutex);
#endif
	fill(b, due, now);
	allowed = take(b);
	pthread_mutex_unlock(&b->mutex);
	return allowed;
}

/* ---- who uses it */

struct worker {
	struct limiter *limiter;
	unsigned allowed;
};

static void *ask(void *arg)
{
	struct worker *w = arg;

	w->allowed += limiter_allow(w->limiter, "alice", 1);
	return NULL;
}

int main(void)
{
	struct limiter limiter = { PTHREAD_MUTEX_INITIALIZER, NULL };
	struct worker workers[2] = { { &limiter, 0 }, { &limiter, 0 } };
	pthread_t threads[2];

	assert(!limiter_allow(&limiter, "alice", 0));
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, ask, &workers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(workers[0].allowed + workers[1].allowed <= PER_TICK);
	return 0;
}
