/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bounds behind branches, compared with what the processor's flags say of every number. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "guards.h"

#define FAR 6

struct processor {
	bool carry, zero, negative, overflow;
};

static struct processor compare(int32_t a, int32_t b)
{
	const int32_t difference = (int32_t)((uint32_t)a - (uint32_t)b);

	return (struct processor){ .carry = (uint32_t)a < (uint32_t)b,
		                   .zero = a == b,
		                   .negative = difference < 0,
		                   .overflow = (int64_t)a - b != difference };
}

/* Intel SDM volume 1, appendix B: jumps by the low 4 bits of their opcodes. */
static bool holds(unsigned cc, struct processor p)
{
	const bool base[8] = { p.overflow,
		               p.carry,
		               p.zero,
		               p.carry || p.zero,
		               p.negative,
		               false,
		               p.negative != p.overflow,
		               p.zero || p.negative != p.overflow };

	return base[cc >> 1] != (cc & 1);
}

static void check_all(unsigned cc, int32_t with, int32_t lo, int32_t hi)
{
	struct guard_bounds x = { lo, hi };

	if (cc >> 1 == 5) /* parity is not followed */
		return;
	guards_narrow(&x, cc, with, false);
	for (int32_t a = lo; a <= hi; a++)
		if (holds(cc, compare(a, with)))
			assert_true(x.lo <= a && a <= x.hi);
	assert_true(x.lo >= lo && x.hi <= hi);
}

static void no_number_that_takes_the_way_is_left_out(void **state)
{
	(void)state;
	for (unsigned cc = 0; cc < 16; cc++)
		for (int32_t with = -FAR; with <= FAR; with++)
			for (int32_t lo = -FAR; lo <= FAR; lo++)
				for (int32_t hi = lo; hi <= FAR; hi++)
					check_all(cc, with, lo, hi);
}

/* The flags of a + b, of which the bounds are known: they may be any by overflow, but for zero and sign. */
static void a_sum_may_have_overflown(void **state)
{
	(void)state;
	for (unsigned cc = 0; cc < 16; cc++)
		for (int32_t a = -FAR; a <= FAR; a++)
			for (unsigned flags = 0; flags < 4; flags++) {
				const struct processor p = { flags & 1, a == 0, a < 0, flags & 2 };
				struct guard_bounds x = { -FAR, FAR };

				guards_narrow(&x, cc, 0, true);
				if (cc >> 1 != 5 && holds(cc, p))
					assert_true(x.lo <= a && a <= x.hi);
			}
}

static void an_index_below_a_hundred_is_at_most_ninety_nine(void **state)
{
	struct guard_bounds below = { INT32_MIN, INT32_MAX }, less = { 0, INT32_MAX }, other = { 0, 7 };

	(void)state;
	guards_narrow(&below, 2, 100, false);
	assert_true(below.lo == 0 && below.hi == 99);
	guards_narrow(&less, 12, 100, false);
	assert_true(less.lo == 0 && less.hi == 99);
	guards_narrow(&other, 5, 7, false);
	assert_true(other.lo == 0 && other.hi == 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_number_that_takes_the_way_is_left_out),
		cmocka_unit_test(a_sum_may_have_overflown),
		cmocka_unit_test(an_index_below_a_hundred_is_at_most_ninety_nine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
