/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "make_trace.h"

#include "vtb/syncorder.h"

static enum vtb_order order_of(const struct vtb_trace *t, size_t a, size_t b, uint32_t flags)
{
	struct vtb_orderindex *index;
	enum vtb_order order;

	assert_int_equal(vtb_orderindex_new(t, flags, &index), 0);
	order = vtb_orderindex_compare(index, a, b);
	vtb_orderindex_free(index);
	return order;
}

static void creation_and_join_order_the_child(void **state)
{
	struct vtb_trace t;
	uint32_t child, x;

	(void)state;
	t_begin(&t, 2);
	child = t_thread(&t, 1);
	x = t_int(&t, "x");
	t_event(&t, 0, VTB_E_WRITE, x, 1);             /* 0 */
	t_event(&t, 0, VTB_E_THREAD_CREATE, child, 2); /* 1 */
	t_event(&t, 0, VTB_E_WRITE, x, 3);             /* 2 */
	t_event(&t, 1, VTB_E_THREAD_BEGIN, child, 0);  /* 3 */
	t_event(&t, 1, VTB_E_WRITE, x, 4);             /* 4 */
	t_event(&t, 1, VTB_E_THREAD_END, child, 0);    /* 5 */
	t_event(&t, 0, VTB_E_THREAD_JOIN, child, 5);   /* 6 */
	t_event(&t, 0, VTB_E_READ, x, 6);              /* 7 */
	assert_int_equal(order_of(&t, 0, 4, 0), VTB_BEFORE);
	assert_int_equal(order_of(&t, 2, 4, 0), VTB_CONCURRENT);
	assert_int_equal(order_of(&t, 4, 7, 0), VTB_BEFORE);
	assert_int_equal(order_of(&t, 7, 4, VTB_SYNCORDER_THREADS_ONLY), VTB_AFTER);
	assert_int_equal(order_of(&t, 3, 3, 0), VTB_EQUAL);
	vtb_trace_fini(&t);
}

static void an_unlock_orders_before_the_next_lock_only(void **state)
{
	struct vtb_trace t;
	uint32_t m, x;

	(void)state;
	t_begin(&t, 2);
	m = t_lock(&t, "m");
	x = t_int(&t, "x");
	t_event(&t, 0, VTB_E_LOCK, m, 1);
	t_event(&t, 0, VTB_E_WRITE, x, 2); /* 1 */
	t_event(&t, 0, VTB_E_UNLOCK, m, 3);
	t_event(&t, 0, VTB_E_WRITE, x, 4); /* 3: after the unlock */
	t_event(&t, 1, VTB_E_LOCK, m, 5);
	t_event(&t, 1, VTB_E_WRITE, x, 6); /* 5 */
	assert_int_equal(order_of(&t, 1, 5, 0), VTB_BEFORE);
	assert_int_equal(order_of(&t, 3, 5, 0), VTB_CONCURRENT);
	assert_int_equal(order_of(&t, 1, 5, VTB_SYNCORDER_THREADS_ONLY), VTB_CONCURRENT);
	vtb_trace_fini(&t);
}

static void a_trylock_that_failed_orders_nothing(void **state)
{
	struct vtb_trace t;
	uint32_t m, x;
	struct vtb_event *e;

	(void)state;
	t_begin(&t, 2);
	m = t_lock(&t, "m");
	x = t_int(&t, "x");
	t_event(&t, 0, VTB_E_WRITE, x, 1);
	t_event(&t, 0, VTB_E_UNLOCK, m, 2);
	e = t_event(&t, 1, VTB_E_TRYLOCK, m, 3);
	e->value = 16; /* EBUSY */
	vtb_event_classify(e);
	t_event(&t, 1, VTB_E_WRITE, x, 4);
	assert_int_equal(order_of(&t, 0, 3, 0), VTB_CONCURRENT);
	vtb_trace_fini(&t);
}

/* Release store and acquire load, then the same with a read-modify-write of a third thread in between. */
static void c11_release_sequences_reach_the_acquire(void **state)
{
	struct vtb_trace t;
	uint32_t a, x;

	(void)state;
	t_begin(&t, 3);
	a = t_int(&t, "a");
	x = t_int(&t, "x");
	t_event(&t, 0, VTB_E_WRITE, x, 1); /* 0 */
	t_atomic(&t, 0, VTB_E_ATOMIC_STORE, a, 2, VTB_ORDER_RELEASE);
	t_atomic(&t, 2, VTB_E_ATOMIC_RMW, a, 3, VTB_ORDER_RELAXED);  /* 2: goes on with the sequence */
	t_atomic(&t, 1, VTB_E_ATOMIC_LOAD, a, 4, VTB_ORDER_ACQUIRE); /* 3 */
	t_event(&t, 1, VTB_E_READ, x, 5);                            /* 4 */
	assert_int_equal(order_of(&t, 0, 4, 0), VTB_BEFORE);
	assert_int_equal(order_of(&t, 2, 4, 0), VTB_CONCURRENT); /* the relaxed one itself gives nothing */
	vtb_trace_fini(&t);
}

static void a_relaxed_store_of_another_thread_breaks_the_sequence(void **state)
{
	struct vtb_trace t;
	uint32_t a, x;

	(void)state;
	t_begin(&t, 3);
	a = t_int(&t, "a");
	x = t_int(&t, "x");
	t_event(&t, 0, VTB_E_WRITE, x, 1); /* 0 */
	t_atomic(&t, 0, VTB_E_ATOMIC_STORE, a, 2, VTB_ORDER_RELEASE);
	t_atomic(&t, 2, VTB_E_ATOMIC_STORE, a, 3, VTB_ORDER_RELAXED);
	t_atomic(&t, 1, VTB_E_ATOMIC_LOAD, a, 4, VTB_ORDER_ACQUIRE);
	t_event(&t, 1, VTB_E_READ, x, 5); /* 4 */
	assert_int_equal(order_of(&t, 0, 4, 0), VTB_CONCURRENT);
	vtb_trace_fini(&t);
}

static void a_relaxed_store_of_the_same_thread_does_not(void **state)
{
	struct vtb_trace t;
	uint32_t a, x;

	(void)state;
	t_begin(&t, 2);
	a = t_int(&t, "a");
	x = t_int(&t, "x");
	t_event(&t, 0, VTB_E_WRITE, x, 1); /* 0 */
	t_atomic(&t, 0, VTB_E_ATOMIC_STORE, a, 2, VTB_ORDER_RELEASE);
	t_event(&t, 0, VTB_E_WRITE, x, 6); /* 2: after the head */
	t_atomic(&t, 0, VTB_E_ATOMIC_STORE, a, 3, VTB_ORDER_RELAXED);
	t_atomic(&t, 1, VTB_E_ATOMIC_LOAD, a, 4, VTB_ORDER_ACQUIRE);
	t_event(&t, 1, VTB_E_READ, x, 5); /* 5 */
	assert_int_equal(order_of(&t, 0, 5, 0), VTB_BEFORE);
	assert_int_equal(order_of(&t, 2, 5, 0), VTB_CONCURRENT);
	vtb_trace_fini(&t);
}

static void fences_make_relaxed_accesses_synchronise(void **state)
{
	struct vtb_trace t;
	uint32_t a, x;

	(void)state;
	t_begin(&t, 2);
	a = t_int(&t, "a");
	x = t_int(&t, "x");
	t_event(&t, 0, VTB_E_WRITE, x, 1); /* 0 */
	t_atomic(&t, 0, VTB_E_FENCE, VTB_NONE, 2, VTB_ORDER_RELEASE);
	t_atomic(&t, 0, VTB_E_ATOMIC_STORE, a, 3, VTB_ORDER_RELAXED); /* 2 */
	t_atomic(&t, 1, VTB_E_ATOMIC_LOAD, a, 4, VTB_ORDER_RELAXED);  /* 3 */
	t_event(&t, 1, VTB_E_READ, x, 5);                             /* 4: before the fence */
	t_atomic(&t, 1, VTB_E_FENCE, VTB_NONE, 6, VTB_ORDER_ACQUIRE);
	t_event(&t, 1, VTB_E_READ, x, 7); /* 6 */
	assert_int_equal(order_of(&t, 0, 4, 0), VTB_CONCURRENT);
	assert_int_equal(order_of(&t, 0, 6, 0), VTB_BEFORE);
	assert_int_equal(order_of(&t, 2, 6, 0), VTB_CONCURRENT); /* the store came after the release fence */
	vtb_trace_fini(&t);
}

static void readers_of_a_rwlock_do_not_order_each_other(void **state)
{
	struct vtb_trace t;
	uint32_t l, x;

	(void)state;
	t_begin(&t, 3);
	l = t_lock(&t, "l");
	x = t_int(&t, "x");
	t_event(&t, 0, VTB_E_RDLOCK, l, 1);
	t_event(&t, 0, VTB_E_READ, x, 2); /* 1 */
	t_event(&t, 0, VTB_E_RWUNLOCK, l, 3);
	t_event(&t, 1, VTB_E_RDLOCK, l, 4);
	t_event(&t, 1, VTB_E_READ, x, 5); /* 4 */
	t_event(&t, 1, VTB_E_RWUNLOCK, l, 6);
	t_event(&t, 2, VTB_E_WRLOCK, l, 7);
	t_event(&t, 2, VTB_E_WRITE, x, 8); /* 7 */
	t_event(&t, 2, VTB_E_RWUNLOCK, l, 9);
	t_event(&t, 0, VTB_E_RDLOCK, l, 1);
	t_event(&t, 0, VTB_E_READ, x, 2); /* 10 */
	assert_int_equal(order_of(&t, 1, 4, 0), VTB_CONCURRENT);
	assert_int_equal(order_of(&t, 1, 7, 0), VTB_BEFORE);
	assert_int_equal(order_of(&t, 4, 7, 0), VTB_BEFORE);
	assert_int_equal(order_of(&t, 7, 10, 0), VTB_BEFORE);
	vtb_trace_fini(&t);
}

/* Thread 0 is already in the second round when thread 1 leaves the first. */
static void a_barrier_orders_its_own_round_only(void **state)
{
	struct vtb_trace t;
	uint32_t b, x;

	(void)state;
	t_begin(&t, 2);
	b = t_lock(&t, "b");
	x = t_int(&t, "x");
	t_event(&t, 0, VTB_E_WRITE, x, 1); /* 0 */
	t_event(&t, 0, VTB_E_BARRIER_ARRIVE, b, 2);
	t_event(&t, 1, VTB_E_BARRIER_ARRIVE, b, 3);
	t_event(&t, 0, VTB_E_BARRIER_LEAVE, b, 2);
	t_event(&t, 0, VTB_E_WRITE, x, 4); /* 4: second round */
	t_event(&t, 0, VTB_E_BARRIER_ARRIVE, b, 5);
	t_event(&t, 1, VTB_E_BARRIER_LEAVE, b, 3);
	t_event(&t, 1, VTB_E_READ, x, 6); /* 7 */
	t_event(&t, 1, VTB_E_BARRIER_ARRIVE, b, 7);
	t_event(&t, 1, VTB_E_BARRIER_LEAVE, b, 7);
	t_event(&t, 1, VTB_E_READ, x, 8); /* 10 */
	assert_int_equal(order_of(&t, 0, 7, 0), VTB_BEFORE);
	assert_int_equal(order_of(&t, 4, 7, 0), VTB_CONCURRENT);
	assert_int_equal(order_of(&t, 4, 10, 0), VTB_BEFORE);
	vtb_trace_fini(&t);
}

static void a_condition_orders_signal_and_mutex_but_no_lost_signal(void **state)
{
	struct vtb_trace t;
	uint32_t c, m, x;
	struct vtb_event *e;

	(void)state;
	t_begin(&t, 3);
	c = t_lock(&t, "c");
	m = t_lock(&t, "m");
	x = t_int(&t, "x");
	t_event(&t, 2, VTB_E_WRITE, x, 1);           /* 0 */
	e = t_event(&t, 2, VTB_E_COND_SIGNAL, c, 2); /* lost */
	e->flags |= VTB_EVF_VALUE;
	t_event(&t, 0, VTB_E_LOCK, m, 3);
	t_event(&t, 0, VTB_E_WRITE, x, 4); /* 3 */
	t_event(&t, 0, VTB_E_COND_WAIT, c, 5)->aux = m;
	t_event(&t, 1, VTB_E_LOCK, m, 6);
	t_event(&t, 1, VTB_E_WRITE, x, 7); /* 6 */
	e = t_event(&t, 1, VTB_E_COND_SIGNAL, c, 8);
	e->flags |= VTB_EVF_VALUE;
	e->value = 1;
	t_event(&t, 0, VTB_E_COND_WAKE, c, 5)->aux = m;
	t_event(&t, 0, VTB_E_READ, x, 9);                    /* 9 */
	assert_int_equal(order_of(&t, 3, 6, 0), VTB_BEFORE); /* waiting gave the mutex back */
	assert_int_equal(order_of(&t, 6, 9, 0), VTB_BEFORE);
	assert_int_equal(order_of(&t, 0, 9, 0), VTB_CONCURRENT);
	vtb_trace_fini(&t);
}

static void semaphores_once_and_futexes_hand_over(void **state)
{
	static const struct {
		enum vtb_event_kind give, take;
	} pairs[] = { { VTB_E_SEM_POST, VTB_E_SEM_WAIT },
		      { VTB_E_ONCE_END, VTB_E_ONCE_BEGIN },
		      { VTB_E_FUTEX_WAKE, VTB_E_FUTEX_WOKEN },
		      { VTB_E_SIGNAL_SEND, VTB_E_SIGNAL_HANDLE } };

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct vtb_trace t;
		uint32_t o, other;

		t_begin(&t, 3);
		o = t_lock(&t, "o");
		other = t_lock(&t, "other");
		t_event(&t, 0, pairs[i].give, o, 1);
		t_event(&t, 1, pairs[i].take, o, 2);
		t_event(&t, 2, pairs[i].take, other, 3);
		assert_int_equal(order_of(&t, 0, 1, 0), VTB_BEFORE);
		assert_int_equal(order_of(&t, 0, 2, 0), VTB_CONCURRENT);
		vtb_trace_fini(&t);
	}
}

static void data_orders_its_sender_before_its_receiver(void **state)
{
	struct vtb_trace t;
	uint32_t pipe, other, poll, terminal;

	(void)state;
	t_begin(&t, 6);
	pipe = t_lock(&t, "fd 3");
	other = t_lock(&t, "fd 5");
	poll = t_lock(&t, "poll of pipe 3");
	terminal = t_lock(&t, "stdout");
	t_event(&t, 0, VTB_E_IO_WRITE, pipe, 1);                /* 0 */
	t_event(&t, 1, VTB_E_IO_WRITE, terminal, 2);            /* 1 */
	t_event(&t, 2, VTB_E_IO_WRITE, other, 3);               /* 2 */
	t_event(&t, 3, VTB_E_IO_READ, pipe, 4);                 /* 3 */
	t_event(&t, 4, VTB_E_IO_READ, poll, 5);                 /* 4 */
	t_event(&t, 5, VTB_E_IO_READ, poll, 6)->value = EAGAIN; /* 5: found nothing */
	t.events[5].flags |= VTB_EVF_VALUE;
	vtb_event_classify(&t.events[5]);
	assert_int_equal(order_of(&t, 0, 3, 0), VTB_BEFORE);
	assert_int_equal(order_of(&t, 2, 3, 0), VTB_CONCURRENT); /* from another pipe */
	assert_int_equal(order_of(&t, 0, 4, 0), VTB_BEFORE);
	assert_int_equal(order_of(&t, 1, 4, 0), VTB_CONCURRENT); /* what is printed nobody reads */
	assert_int_equal(order_of(&t, 0, 5, 0), VTB_CONCURRENT);
	vtb_trace_fini(&t);
}

static void an_empty_trace_and_unknown_kinds_are_harmless(void **state)
{
	struct vtb_trace t;
	struct vtb_orderindex *index;

	(void)state;
	t_begin(&t, 1);
	assert_int_equal(vtb_orderindex_new(&t, 0, &index), 0);
	vtb_orderindex_free(index);
	t_event(&t, 0, VTB_E_READ, VTB_NONE, 0)->kind = 31;
	t_event(&t, 0, VTB_E_LOCK, VTB_NONE, 0);
	t.events[1].thread = UINT16_MAX;
	assert_int_equal(order_of(&t, 0, 1, 0), VTB_CONCURRENT);
	vtb_trace_fini(&t);
}

/* The index must say what the clocks say: random traces, every pair. */
static void the_index_agrees_with_the_closure_of_single_edges(void **state)
{
	enum { N = 60 };
	uint32_t seed = 5;

	(void)state;
	for (int round = 0; round < 40; round++) {
		struct vtb_trace t;
		uint32_t locks[3];
		int8_t holder[3] = { -1, -1, -1 };
		size_t last_unlock[3] = { N, N, N };
		static bool before[N][N];
		size_t last_of[4] = { N, N, N, N };

		memset(before, 0, sizeof(before));
		t_begin(&t, 4);
		for (int i = 0; i < 3; i++)
			locks[i] = t_lock(&t, i == 0 ? "a" : i == 1 ? "b" : "c");
		for (size_t i = 0; i < N; i++) {
			const uint32_t thread = (seed = seed * 1664525u + 1013904223u) >> 16 & 3,
			               lock = (seed >> 20) % 3;
			size_t sources[2] = { last_of[thread], N };

			if (holder[lock] == (int8_t)thread) {
				t_event(&t, thread, VTB_E_UNLOCK, locks[lock], 1);
				holder[lock] = -1;
				last_unlock[lock] = i;
			} else if (holder[lock] < 0) {
				t_event(&t, thread, VTB_E_LOCK, locks[lock], 1);
				holder[lock] = (int8_t)thread;
				sources[1] = last_unlock[lock];
			} else {
				t_event(&t, thread, VTB_E_YIELD, VTB_NONE, 1);
			}
			for (int s = 0; s < 2; s++)
				for (size_t k = 0; sources[s] < N && k < N; k++)
					before[k][i] |= k == sources[s] || before[k][sources[s]];
			last_of[thread] = i;
		}
		{
			struct vtb_orderindex *index;

			assert_int_equal(vtb_orderindex_new(&t, 0, &index), 0);
			for (size_t a = 0; a < N; a++)
				for (size_t b = a + 1; b < N; b++)
					assert_int_equal(vtb_orderindex_compare(index, a, b),
					                 before[a][b] ? VTB_BEFORE : VTB_CONCURRENT);
			vtb_orderindex_free(index);
		}
		vtb_trace_fini(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(creation_and_join_order_the_child),
		cmocka_unit_test(an_unlock_orders_before_the_next_lock_only),
		cmocka_unit_test(a_trylock_that_failed_orders_nothing),
		cmocka_unit_test(c11_release_sequences_reach_the_acquire),
		cmocka_unit_test(a_relaxed_store_of_another_thread_breaks_the_sequence),
		cmocka_unit_test(a_relaxed_store_of_the_same_thread_does_not),
		cmocka_unit_test(fences_make_relaxed_accesses_synchronise),
		cmocka_unit_test(readers_of_a_rwlock_do_not_order_each_other),
		cmocka_unit_test(a_barrier_orders_its_own_round_only),
		cmocka_unit_test(a_condition_orders_signal_and_mutex_but_no_lost_signal),
		cmocka_unit_test(semaphores_once_and_futexes_hand_over),
		cmocka_unit_test(data_orders_its_sender_before_its_receiver),
		cmocka_unit_test(an_empty_trace_and_unknown_kinds_are_harmless),
		cmocka_unit_test(the_index_agrees_with_the_closure_of_single_edges),
	};

	return cmocka_run_group_tests_name("syncorder", tests, NULL, NULL);
}
