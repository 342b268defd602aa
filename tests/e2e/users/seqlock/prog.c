// SPDX-License-Identifier: GPL-2.0-or-later
// A clock that many read and one sets: a sequence number is odd while it is written; readers try again.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct clock {
	atomic_uint sequence;
	_Atomic uint64_t seconds, nanos;
};

static struct clock now;

static void set(struct clock *c, uint64_t seconds, uint64_t nanos)
{
	unsigned s = atomic_load_explicit(&c->sequence, memory_order_relaxed);

	atomic_store_explicit(&c->sequence, s + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&c->seconds, seconds, memory_order_relaxed);
	atomic_store_explicit(&c->nanos, nanos, memory_order_relaxed);
	atomic_store_explicit(&c->sequence, s + 2, memory_order_release);
}

static void get(struct clock *c, uint64_t *seconds, uint64_t *nanos)
{
	unsigned before, after;

	do {
		before = atomic_load_explicit(&c->sequence, memory_order_acquire);
		*seconds = atomic_load_explicit(&c->seconds, memory_order_relaxed);
		*nanos = atomic_load_explicit(&c->nanos, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&c->sequence, memory_order_relaxed);
	} while (before != after || before & 1);
}

static void *reads(void *arg)
{
	uint64_t last = 0, s, n;

	for (int i = 0; i < 2; i++) {
		get(&now, &s, &n);
		assert(n == s * 10 && s >= last);
		last = s;
	}
	return arg;
}

static void *writes(void *arg)
{
	for (uint64_t i = 1; i <= 2; i++)
		set(&now, i, i * 10);
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	assert(pthread_create(&threads[0], NULL, writes, NULL) == 0);
	assert(pthread_create(&threads[1], NULL, reads, NULL) == 0);
	assert(pthread_create(&threads[2], NULL, reads, NULL) == 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(now.seconds == 2);
	return 0;
}
