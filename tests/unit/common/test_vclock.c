/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

#include "vtb/vclock.h"

/* Linked with -Wl,--wrap=realloc: the n-th call from now fails (0: none does). */
static int fail_in;

void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n)
{
	if (fail_in && --fail_in == 0)
		return NULL;
	return __real_realloc(p, n);
}

/* Two threads tick apart, then b learns of a through a lock hand-over. */
static void join_orders_the_giver_before_the_taker(void **state)
{
	struct vtb_vclock a = { 0 }, b = { 0 };

	(void)state;
	assert_int_equal(vtb_vclock_tick(&a, 0), 0);
	assert_int_equal(vtb_vclock_tick(&b, 1), 0);
	assert_int_equal(vtb_vclock_compare(&a, &b), VTB_CONCURRENT);
	assert_int_equal(vtb_vclock_join(&b, &a), 0);
	assert_int_equal(vtb_vclock_compare(&a, &b), VTB_BEFORE);
	vtb_vclock_fini(&a);
	vtb_vclock_fini(&b);
}

static void missing_slots_read_as_zero(void **state)
{
	struct vtb_vclock a = { .count = (uint64_t[]){ 1 }, .len = 1 };
	struct vtb_vclock b = { .count = (uint64_t[]){ 1, 0 }, .len = 2 };

	(void)state;
	assert_int_equal(vtb_vclock_compare(&a, &b), VTB_EQUAL);
	assert_int_equal(vtb_vclock_get(&a, UINT32_MAX), 0);
}

static void tick_rejects_a_slot_beyond_the_limit(void **state)
{
	struct vtb_vclock a = { 0 };

	(void)state;
	assert_int_equal(vtb_vclock_tick(&a, VTB_THREADS_MAX), -E2BIG);
	assert_int_equal(vtb_vclock_tick(&a, UINT32_MAX), -E2BIG);
	assert_int_equal(a.len, 0);
}

static void a_failed_tick_leaves_the_clock_unchanged(void **state)
{
	struct vtb_vclock a = { 0 };

	(void)state;
	assert_int_equal(vtb_vclock_tick(&a, 0), 0);
	fail_in = 1;
	assert_int_equal(vtb_vclock_tick(&a, 7), -ENOMEM);
	assert_int_equal(vtb_vclock_get(&a, 0), 1);
	assert_int_equal(a.len, 1);
	vtb_vclock_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(join_orders_the_giver_before_the_taker),
		cmocka_unit_test(missing_slots_read_as_zero),
		cmocka_unit_test(tick_rejects_a_slot_beyond_the_limit),
		cmocka_unit_test(a_failed_tick_leaves_the_clock_unchanged),
	};

	return cmocka_run_group_tests_name("vclock", tests, NULL, NULL);
}
