// SPDX-License-Identifier: GPL-2.0-or-later
// Locks of the program's own: test and set, ticket, MCS and pthread's, each with a counter that it guards.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#define THREADS 2

struct mcs_node {
	_Atomic(struct mcs_node *) next;
	atomic_int waits;
};

static atomic_flag flag = ATOMIC_FLAG_INIT;
static atomic_uint ticket, serving;
static _Atomic(struct mcs_node *) mcs_tail;
static pthread_spinlock_t spin;
static int by_flag, by_ticket, by_mcs, by_spin;

static void flag_lock(void)
{
	while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
		sched_yield();
}

static void flag_unlock(void)
{
	atomic_flag_clear_explicit(&flag, memory_order_release);
}

static void ticket_lock(void)
{
	unsigned mine = atomic_fetch_add(&ticket, 1);

	while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
		;
}

static void ticket_unlock(void)
{
	atomic_fetch_add_explicit(&serving, 1, memory_order_release);
}

static void mcs_lock(struct mcs_node *me)
{
	struct mcs_node *before;

	atomic_store(&me->next, NULL);
	atomic_store(&me->waits, 1);
	before = atomic_exchange(&mcs_tail, me);
	if (!before)
		return;
	atomic_store(&before->next, me);
	while (atomic_load(&me->waits))
		sched_yield();
}

static void mcs_unlock(struct mcs_node *me)
{
	struct mcs_node *expected = me, *next = atomic_load(&me->next);

	if (!next) {
		if (atomic_compare_exchange_strong(&mcs_tail, &expected, NULL))
			return;
		while (!(next = atomic_load(&me->next)))
			sched_yield();
	}
	atomic_store(&next->waits, 0);
}

static void *work(void *arg)
{
	struct mcs_node node;

	flag_lock();
	by_flag++;
	flag_unlock();
	ticket_lock();
	by_ticket++;
	ticket_unlock();
	mcs_lock(&node);
	by_mcs++;
	mcs_unlock(&node);
	pthread_spin_lock(&spin);
	by_spin++;
	pthread_spin_unlock(&spin);
	return arg;
}

int main(void)
{
	pthread_t threads[THREADS];

	assert(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
	for (int i = 0; i < THREADS; i++)
		assert(pthread_create(&threads[i], NULL, work, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert(by_flag == THREADS && by_ticket == THREADS && by_mcs == THREADS && by_spin == THREADS);
	pthread_spin_destroy(&spin);
	return 0;
}
