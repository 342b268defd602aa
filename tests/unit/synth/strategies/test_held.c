/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that are held back because they spin: which of their operations can come earlier, and which let them go on.
 */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "dpor/dpor.h"
#include "vtb/events.h"

#define LEVELS 16u
#define THREADS 4u

enum { SPINNER = 1, WRITER, THIRD };
enum { A, B, C };

/* A run as partial-order reduction keeps it. All can go on everywhere; nothing depends on another thread's. */
struct run {
	struct dpor d;
	struct dpor_level levels[LEVELS];
	uint64_t enabled[LEVELS];
	uint32_t clocks[LEVELS * THREADS];
	struct dpor_line lines[THREADS];
	uint32_t ops[THREADS][LEVELS];
};

static void begin(struct run *r)
{
	*r = (struct run){ .d = { .stride = 1, .width = THREADS, .held = true } };
	r->d.levels = r->levels;
	r->d.enabled = r->enabled;
	r->d.clocks = r->clocks;
	r->d.lines = r->lines;
	for (unsigned t = 0; t < THREADS; t++)
		r->lines[t].ops = r->ops[t];
}

static struct vtb_event event(unsigned thread, unsigned kind, uint32_t var, uint32_t site)
{
	return (struct vtb_event){ .thread = (uint16_t)thread,
		                   .kind = (uint8_t)kind,
		                   .var = var,
		                   .addr = 0x1000 + 8ull * var,
		                   .size = 4,
		                   .site = site };
}

/* Its level. */
static uint32_t add(struct run *r, struct vtb_event e)
{
	const uint32_t level = (uint32_t)r->d.n_levels++;
	struct dpor_line *line = &r->lines[e.thread];

	line->ops[line->n_ops++] = level;
	r->levels[level] = (struct dpor_level){ .op.event = e, .index = (uint32_t)line->n_ops };
	r->clocks[level * THREADS + e.thread] = (uint32_t)line->n_ops;
	r->enabled[level] = ~0ull;
	return level;
}

static void hold(struct run *r, uint32_t level)
{
	r->enabled[level] &= ~(1ull << SPINNER);
}

/* The spinner reads A and B; it would read A again, as it does behind what the writer does at level 2 to `var`. */
static uint32_t go_round(struct run *r, uint32_t var)
{
	begin(r);
	add(r, event(SPINNER, VTB_E_READ, A, 1));
	add(r, event(SPINNER, VTB_E_READ, B, 2));
	return add(r, event(WRITER, VTB_E_WRITE, var, 7));
}

static enum dpor_feasible again_before(const struct run *r, uint32_t level)
{
	const struct vtb_event b = event(SPINNER, VTB_E_READ, A, 1);

	return vtb_dpor_held_feasible(&r->d, level, &b, 2);
}

static void a_place_met_for_the_first_time_is_no_round(void **state)
{
	const struct vtb_event elsewhere = event(SPINNER, VTB_E_READ, A, 3), other = event(SPINNER, VTB_E_READ, C, 1);
	struct run r;
	uint32_t write = go_round(&r, A);

	(void)state;
	hold(&r, write);
	assert_int_equal(vtb_dpor_held_feasible(&r.d, write, &elsewhere, 2), DPOR_CAN);
	assert_int_equal(vtb_dpor_held_feasible(&r.d, write, &other, 2), DPOR_CAN);
	assert_int_equal(vtb_dpor_held_feasible(&r.d, write, &elsewhere, 0), DPOR_CAN);
}

static void a_round_that_changes_nothing_cannot_come_earlier(void **state)
{
	struct run r;
	uint32_t write = go_round(&r, B);

	(void)state;
	assert_int_equal(again_before(&r, write), DPOR_CAN);
	hold(&r, write);
	assert_int_equal(again_before(&r, write), DPOR_CANNOT);
}

static void what_goes_on_beside_may_let_it_go(void **state)
{
	struct run r;
	uint32_t write = go_round(&r, A), third;

	(void)state;
	hold(&r, write);
	add(&r, event(THIRD, VTB_E_WRITE, C, 8));
	assert_int_equal(again_before(&r, write), DPOR_CANNOT);
	third = add(&r, event(THIRD, VTB_E_WRITE, B, 9));
	assert_int_equal(again_before(&r, write), DPOR_MAY);
	r.clocks[third * THREADS + WRITER] = 1; /* it comes after the writer's */
	assert_int_equal(again_before(&r, write), DPOR_CANNOT);
}

static void what_comes_before_its_own_last_operation_is_not_decided(void **state)
{
	const struct vtb_event b = event(SPINNER, VTB_E_READ, A, 1);
	struct run r;

	(void)state;
	go_round(&r, A);
	add(&r, event(SPINNER, VTB_E_READ, A, 1));
	assert_int_equal(vtb_dpor_held_feasible(&r.d, 2, &b, 4), DPOR_MAY);
}

/* Between two arrivals at a place the spinner does `between`: is that a round? */
static bool is_round(struct vtb_event between)
{
	const struct vtb_event b = event(SPINNER, VTB_E_READ, A, 1);
	struct run r;
	uint32_t write;

	begin(&r);
	add(&r, b);
	add(&r, between);
	write = add(&r, event(WRITER, VTB_E_WRITE, A, 7));
	hold(&r, write);
	return vtb_dpor_held_feasible(&r.d, write, &b, 2) == DPOR_CANNOT;
}

static void what_leaves_something_behind_ends_a_round(void **state)
{
	static const unsigned round[] = { VTB_E_YIELD, VTB_E_SLEEP, VTB_E_SEM_VALUE, VTB_E_ATOMIC_CAS_FAIL,
		                          VTB_E_WRITE };
	static const unsigned acts[] = { VTB_E_LOCK, VTB_E_UNLOCK, VTB_E_SEM_POST, VTB_E_COND_SIGNAL };
	struct vtb_event attempt = event(SPINNER, VTB_E_SEM_TRYWAIT, C, 5);

	(void)state;
	for (size_t i = 0; i < sizeof(round) / sizeof(*round); i++)
		assert_true(is_round(event(SPINNER, round[i], C, 5)));
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		assert_false(is_round(event(SPINNER, acts[i], C, 5)));
	assert_false(is_round(attempt)); /* it took one */
	attempt.value = EAGAIN;
	assert_true(is_round(attempt));
}

static void the_last_level_at_which_it_was_held_let_it_go(void **state)
{
	struct vtb_event b = event(SPINNER, VTB_E_READ, A, 1);
	struct run r;

	(void)state;
	go_round(&r, A);
	add(&r, event(THIRD, VTB_E_WRITE, C, 8));
	assert_int_equal(vtb_dpor_let_go_by(&r.d, &b, 2, 4), DPOR_NONE); /* it could go on all the time */
	hold(&r, 2);
	assert_int_equal(vtb_dpor_let_go_by(&r.d, &b, 2, 4), 2);
	hold(&r, 3);
	assert_int_equal(vtb_dpor_let_go_by(&r.d, &b, 2, 4), 3);
	assert_int_equal(vtb_dpor_let_go_by(&r.d, &b, 0, 4), DPOR_NONE); /* its first operation */
	b.kind = VTB_E_LOCK;
	assert_int_equal(vtb_dpor_let_go_by(&r.d, &b, 2, 4), DPOR_NONE); /* it waited for the lock */
	b.flags = VTB_EVF_TRY;
	assert_int_equal(vtb_dpor_let_go_by(&r.d, &b, 2, 4), 3);
	r.d.held = false;
	assert_int_equal(vtb_dpor_let_go_by(&r.d, &b, 2, 4), DPOR_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_met_for_the_first_time_is_no_round),
		cmocka_unit_test(a_round_that_changes_nothing_cannot_come_earlier),
		cmocka_unit_test(what_goes_on_beside_may_let_it_go),
		cmocka_unit_test(what_comes_before_its_own_last_operation_is_not_decided),
		cmocka_unit_test(what_leaves_something_behind_ends_a_round),
		cmocka_unit_test(the_last_level_at_which_it_was_held_let_it_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
