/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room models by itself: queues of waiters, and a mutex as the model keeps it in the object. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models.h"

#define THREADS 3u

static struct vtb_rt_thread threads[THREADS];

static int set_up(void **state)
{
	(void)state;
	memset(threads, 0, sizeof(threads));
	vtb_rt.n_threads = THREADS;
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i].base.slot = i;
		threads[i].base.state = VTB_T_ALIVE;
		vtb_rt.threads[i] = &threads[i];
	}
	return 0;
}

static void waiters_stand_in_order_of_arrival(void **state)
{
	const int a = 0, b = 0;

	(void)state;
	vtb_queue_join(&threads[2], &a);
	vtb_queue_join(&threads[0], &a);
	vtb_queue_join(&threads[1], &b);
	assert_int_equal(vtb_queue_length(&a), 2);
	assert_ptr_equal(vtb_queue_waiter(&a, 0), &threads[2]);
	assert_ptr_equal(vtb_queue_waiter(&a, 1), &threads[0]);
	assert_null(vtb_queue_waiter(&a, 2));
	threads[2].sched.signalled = true; /* woken, not yet gone */
	assert_ptr_equal(vtb_queue_waiter(&a, 0), &threads[0]);
	vtb_queue_leave(&threads[0]);
	assert_int_equal(vtb_queue_length(&a), 0);
	assert_int_equal(vtb_queue_length(&b), 1);
}

static void a_mutex_is_its_owners_until_it_is_given_back(void **state)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	(void)state;
	assert_true(vtb_mutex_free(&threads[1], &m));
	assert_int_equal(vtb_mutex_owner(&m), VTB_NO_PATH);
	assert_int_equal(vtb_mutex_take(&threads[1], &m), 0);
	assert_int_equal(vtb_mutex_owner(&m), 1);
	assert_false(vtb_mutex_free(&threads[2], &m));
	assert_int_equal(vtb_mutex_give(&threads[1], &m, NULL, NULL), 0);
	assert_true(vtb_mutex_free(&threads[2], &m));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(waiters_stand_in_order_of_arrival, set_up),
		cmocka_unit_test_setup(a_mutex_is_its_owners_until_it_is_given_back, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
