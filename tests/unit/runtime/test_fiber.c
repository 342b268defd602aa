/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room carriers by itself: contexts on stacks of their own, by both ways to set the fs base; the rows of
 * carriers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carriers.h"

static char stack[65536] __attribute__((aligned(16)));
static void *here, *there;
static uint64_t fs;
static int visits;

static void entry(void)
{
	for (;;) {
		visits++;
		vtb_fiber_switch(&there, here, fs);
	}
}

static void go_there_and_back(void)
{
	visits = 0;
	fs = vtb_fiber_fs();
	there = vtb_fiber_context(stack + sizeof(stack), entry);
	for (int i = 1; i <= 100; i++) {
		vtb_fiber_switch(&here, there, fs);
		assert_int_equal(visits, i);
	}
}

static void a_context_goes_on_where_it_has_left(void **state)
{
	(void)state;
	vtb_rt.lacks = VTB_LACKS_FSGSBASE;
	vtb_fiber_look();
	assert_false(vtb_fiber_fsgsbase);
	go_there_and_back();
	vtb_rt.lacks = 0;
	vtb_fiber_look();
	go_there_and_back();
}

static void after_fork_threads_carry(void **state)
{
	(void)state;
	assert_ptr_equal(vtb_carrier_fibers.forked, &vtb_carrier_threads);
	assert_ptr_equal(vtb_carrier_threads.forked, &vtb_carrier_threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_context_goes_on_where_it_has_left),
		cmocka_unit_test(after_fork_threads_carry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
