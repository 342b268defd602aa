/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Against brute force: in random runs of operations and readings of a clock, the closure of what must come before what
 * says whether two threads' readings are ordered. It is made here from the definition, without clocks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "../../../../synth/search/src/clock_order.h"
#include "vtb/rng.h"

#define STEPS 14u
#define THREADS 4u
#define RUNS 40000u

struct step {
	bool reads_clock;
	struct vtb_event op;
};

static void make(struct step *steps, uint32_t n, uint64_t *rng)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t var = (uint32_t)vtb_rng_below(rng, 3);

		steps[i].reads_clock = vtb_rng_below(rng, 3) == 0;
		steps[i].op = (struct vtb_event){ .thread = (uint16_t)vtb_rng_below(rng, THREADS),
			                          .kind = vtb_rng_below(rng, 2) ? VTB_E_READ : VTB_E_WRITE,
			                          .var = var,
			                          .addr = 0x1000 + 64 * var,
			                          .size = 4,
			                          .site = VTB_NONE };
	}
}

static bool is_before(const struct step *a, const struct step *b)
{
	if (a->op.thread == b->op.thread)
		return true;
	return !a->reads_clock && !b->reads_clock && a->op.var == b->op.var &&
	       (a->op.kind == VTB_E_WRITE || b->op.kind == VTB_E_WRITE);
}

static bool open_by_force(const struct step *steps, uint32_t n)
{
	bool before[STEPS][STEPS] = { { false } };

	for (uint32_t j = 0; j < n; j++)
		for (uint32_t i = 0; i < j; i++)
			before[i][j] = is_before(&steps[i], &steps[j]);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++)
				before[i][j] |= before[i][k] && before[k][j];
	for (uint32_t j = 0; j < n; j++)
		for (uint32_t i = 0; i < j; i++)
			if (steps[i].reads_clock && steps[j].reads_clock && !before[i][j])
				return true;
	return false;
}

static bool two_read(const struct step *steps, uint32_t n)
{
	bool reads[THREADS] = { false };
	uint32_t threads = 0;

	for (uint32_t i = 0; i < n; i++) {
		threads += steps[i].reads_clock && !reads[steps[i].op.thread];
		reads[steps[i].op.thread] |= steps[i].reads_clock;
	}
	return threads > 1;
}

static bool open_by_rule(struct vtb_clock_order *c, struct vtb_mazurkiewicz *m, const struct step *steps, uint32_t n,
                         bool merged)
{
	vtb_mazurkiewicz_begin(m);
	vtb_clock_order_begin(c, merged);
	for (uint32_t i = 0; i < n; i++) {
		if (steps[i].reads_clock)
			assert_int_equal(vtb_clock_order_read(c, m, steps[i].op.thread), 0);
		else
			assert_int_equal(vtb_mazurkiewicz_feed(m, &steps[i].op, NULL), 0);
	}
	return c->open;
}

static void readings_are_open_where_no_operation_orders_them(void **state)
{
	struct vtb_clock_order c = { 0 };
	struct vtb_mazurkiewicz *m;
	uint64_t rng = 1;
	uint32_t open = 0;

	(void)state;
	assert_int_equal(vtb_mazurkiewicz_new(NULL, &m), 0);
	for (uint32_t i = 0; i < RUNS; i++) {
		struct step steps[STEPS];
		const uint32_t n = 2 + (uint32_t)vtb_rng_below(&rng, STEPS - 1);
		bool wanted;

		make(steps, n, &rng);
		wanted = open_by_force(steps, n);
		assert_int_equal(open_by_rule(&c, m, steps, n, false), wanted);
		assert_int_equal(open_by_rule(&c, m, steps, n, true), two_read(steps, n));
		open += wanted;
	}
	assert_in_range(open, RUNS / 20, RUNS - RUNS / 20);
	vtb_clock_order_fini(&c);
	vtb_mazurkiewicz_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readings_are_open_where_no_operation_orders_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
