// SPDX-License-Identifier: GPL-2.0-or-later
// A lock of the program's own, made of atomics and told of by __tsan_mutex_*.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

void __tsan_mutex_create(void *lock, unsigned flags);
void __tsan_mutex_destroy(void *lock, unsigned flags);
void __tsan_mutex_pre_lock(void *lock, unsigned flags);
void __tsan_mutex_post_lock(void *lock, unsigned flags, int depth);
int __tsan_mutex_pre_unlock(void *lock, unsigned flags);
void __tsan_mutex_post_unlock(void *lock, unsigned flags);
enum { TRIES = 1 << 4, FAILED = 1 << 5 };

static int taken, sum;

static int try_lock(void)
{
	int free = 0, got;

	__tsan_mutex_pre_lock(&taken, TRIES);
	got = __atomic_compare_exchange_n(&taken, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
	__tsan_mutex_post_lock(&taken, TRIES | (got ? 0 : FAILED), 0);
	return got;
}

static void lock(void)
{
	__tsan_mutex_pre_lock(&taken, 0);
	while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	__tsan_mutex_post_lock(&taken, 0, 0);
}

static void unlock(void)
{
	__tsan_mutex_pre_unlock(&taken, 0);
	__atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
	__tsan_mutex_post_unlock(&taken, 0);
}

static void *work(void *arg)
{
	if (!try_lock())
		lock();
	sum++;
	unlock();
	return arg;
}

int main(void)
{
	pthread_t t;

	__tsan_mutex_create(&taken, 0);
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	__tsan_mutex_destroy(&taken, 0);
	assert(sum == 2);
	return 0;
}
