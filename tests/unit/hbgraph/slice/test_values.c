/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Abstract values hold what the operations make of the concrete ones. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

#include "values.h"

#define ROUNDS 20000

static uint32_t seed;

static int64_t below(int64_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (int64_t)(seed >> 8) % n;
}

static void lost(void *arg, uint64_t region)
{
	(void)region;
	++*(int *)arg;
}

/* Does a value hold this number, as it stands in a register of 64 bits? */
static bool holds(const struct values *v, uint32_t id, int64_t number)
{
	const struct value *x = value_at(v, id);
	const int64_t as = x->narrow ? (int32_t)number : number;

	if (x->any)
		return true;
	if (x->narrow && (uint64_t)number > UINT32_MAX)
		return false;
	return x->number && (x->lo <= -VALUE_INF || x->lo <= as) && (x->hi >= VALUE_INF || as <= x->hi);
}

/* A random value and a number that it holds. */
static uint32_t draw(struct values *v, int64_t *ret)
{
	const int64_t lo = below(600) - 300, hi = lo + below(100);
	const bool narrow = below(2);

	*ret = lo + below(hi - lo + 1);
	if (narrow)
		*ret = (int64_t)(uint32_t)*ret;
	return value_range(v, lo, hi, narrow);
}

static void operations_hold_what_numbers_come_to(void **state)
{
	struct values v = { .lost = lost };
	int n = 0;

	(void)state;
	v.arg = &n;
	assert_int_equal(values_init(&v), 0);
	for (int round = 0; round < ROUNDS; round++) {
		int64_t x, y;
		const uint32_t a = draw(&v, &x), b = draw(&v, &y);
		const int64_t by = below(9);

		assert_true(holds(&v, a, x));
		assert_true(holds(&v, value_join(&v, a, b), x) && holds(&v, value_join(&v, a, b), y));
		assert_true(holds(&v, value_add(&v, a, b), x + y));
		assert_true(holds(&v, value_subtract(&v, a, b), x - y));
		assert_true(holds(&v, value_scale(&v, a, by), x * by));
		assert_true(holds(&v, value_low(&v, a), (int64_t)(uint32_t)x));
		assert_true(holds(&v, value_signed(&v, a), (int32_t)x));
		assert_true(holds(&v, value_blur(&v, a), x));
		assert_true(holds(&v, value_widen(&v, a, value_join(&v, a, b)), y));
	}
	assert_int_equal(n, 0);
	values_fini(&v);
}

static void addresses_move_with_numbers_and_are_lost_when_there_are_too_many(void **state)
{
	struct values v = { .lost = lost };
	int n = 0;
	uint32_t all = VALUE_NONE, a;

	(void)state;
	v.arg = &n;
	assert_int_equal(values_init(&v), 0);
	a = value_add(&v, value_address(&v, 5, 16, 16), value_const(&v, 8));
	assert_int_equal(value_at(&v, a)->n, 1);
	assert_int_equal(value_at(&v, a)->pair[0].lo, 24);
	a = value_subtract(&v, a, value_const(&v, 30));
	assert_int_equal(value_at(&v, a)->pair[0].hi, -6);
	assert_int_equal(value_at(&v, value_blur(&v, a))->pair[0].hi, VALUE_INF);
	for (uint64_t k = 0; k < VALUE_PAIRS; k++)
		all = value_join(&v, all, value_address(&v, k, 0, 0));
	assert_int_equal(value_at(&v, all)->n, VALUE_PAIRS);
	assert_int_equal(n, 0);
	assert_int_equal(value_join(&v, all, value_address(&v, 99, 0, 0)), VALUE_ANY);
	assert_int_equal(n, VALUE_PAIRS + 1);
	values_fini(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_hold_what_numbers_come_to),
		cmocka_unit_test(addresses_move_with_numbers_and_are_lost_when_there_are_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
