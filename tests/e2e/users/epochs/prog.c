// SPDX-License-Identifier: GPL-2.0-or-later
// Readers without locks, a writer that waits until no reader can hold what it frees (as RCU does).
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define READERS 2

struct route {
	int port, check;
};

struct reader {
	_Alignas(64) atomic_ulong seen; /* epoch in which it reads, 0: none */
};

static _Atomic(struct route *) current;
static atomic_ulong epoch = 1;
static struct reader readers[READERS];
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;

static void read_lock(struct reader *r)
{
	atomic_store(&r->seen, atomic_load(&epoch));
}

static void read_unlock(struct reader *r)
{
	atomic_store_explicit(&r->seen, 0, memory_order_release);
}

static void synchronise(void)
{
	unsigned long now = atomic_fetch_add(&epoch, 1) + 1;

	for (int i = 0; i < READERS; i++)
		for (;;) {
			unsigned long seen = atomic_load(&readers[i].seen);

			if (!seen || seen >= now)
				break;
			sched_yield();
		}
}

static void set_route(int port)
{
	struct route *next = malloc(sizeof(*next)), *old;

	assert(next);
	next->port = port;
	next->check = ~port;
	pthread_mutex_lock(&writers);
	old = atomic_exchange(&current, next);
	synchronise();
	pthread_mutex_unlock(&writers);
	if (old)
		old->check = 0; /* whoever still reads it would see */
	free(old);
}

static void *reads(void *arg)
{
	struct reader *me = arg;
	int last = 0;

	for (int i = 0; i < 2; i++) {
		const struct route *r;

		read_lock(me);
		r = atomic_load_explicit(&current, memory_order_acquire);
		assert(r && r->check == ~r->port && r->port >= last);
		last = r->port;
		read_unlock(me);
	}
	return NULL;
}

static void *writes(void *arg)
{
	(void)arg;
	set_route(81);
	set_route(82);
	return NULL;
}

int main(void)
{
	pthread_t threads[READERS + 1];

	set_route(80);
	for (int i = 0; i < READERS; i++)
		assert(pthread_create(&threads[i], NULL, reads, &readers[i]) == 0);
	assert(pthread_create(&threads[READERS], NULL, writes, NULL) == 0);
	for (int i = 0; i <= READERS; i++)
		pthread_join(threads[i], NULL);
	assert(atomic_load(&current)->port == 82);
	free(atomic_load(&current));
	return 0;
}
