/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "vtb/coverage.h"

enum { WORKERS = 2, WORK = 10, COUNT = 30 }; /* variables WORK .. COUNT-1 are elements of one array */
enum { LOOP_SITE = 3, COUNT_SITE = 7, LATE_SITE = 8 };

#define EVENTS_MAX 128u

struct run {
	struct vtb_event events[EVENTS_MAX];
	size_t n;
};

static void add(struct run *r, uint16_t thread, uint32_t var, uint32_t site)
{
	assert_true(r->n < EVENTS_MAX);
	r->events[r->n++] = (struct vtb_event){
		.thread = thread, .kind = VTB_E_WRITE, .var = var, .site = site, .size = 4, .addr = 4096 + 4 * var
	};
}

static void learn(struct vtb_coverage *c, struct run *r)
{
	const struct vtb_exec x = { .events = r->events, .n_events = r->n };

	assert_int_equal(vtb_coverage_add(c, &x), 0);
}

/* Two workers fill the same array, then count. */
static void fill(struct run *r)
{
	for (uint16_t t = 1; t <= WORKERS; t++)
		for (uint32_t var = WORK; var < COUNT; var++)
			add(r, t, var, LOOP_SITE);
	for (uint16_t t = 1; t <= WORKERS; t++)
		add(r, t, COUNT, COUNT_SITE);
}

static void the_first_of_each_kind_comes_before_the_second_of_any(void **state)
{
	struct vtb_coverage c = { 0 };
	struct run r = { .n = 0 };

	(void)state;
	fill(&r);
	learn(&c, &r);
	assert_int_equal(vtb_coverage_stage(&c, WORK), 0);
	assert_int_equal(vtb_coverage_stage(&c, COUNT), 0);
	assert_int_equal(vtb_coverage_stage(&c, WORK + 1), 1);
	assert_int_equal(vtb_coverage_stage(&c, WORK + 2), 2);
	assert_int_equal(vtb_coverage_stage(&c, WORK + 3), 2);
	assert_int_equal(vtb_coverage_stage(&c, WORK + 4), 3);
	vtb_coverage_fini(&c);
}

static void an_element_that_is_touched_elsewhere_too_is_of_another_kind(void **state)
{
	struct vtb_coverage c = { 0 };
	struct run first = { .n = 0 }, second = { .n = 0 };

	(void)state;
	fill(&first);
	learn(&c, &first);
	fill(&second);
	add(&second, 1, COUNT - 1, LATE_SITE);
	assert_true(vtb_coverage_stage(&c, COUNT - 1) > 3);
	learn(&c, &second);
	assert_int_equal(vtb_coverage_stage(&c, COUNT - 1), 0);
	vtb_coverage_fini(&c);
}

static void what_one_thread_touches_comes_last(void **state)
{
	struct vtb_coverage c = { 0 };
	struct run r = { .n = 0 };

	(void)state;
	add(&r, 1, WORK, LOOP_SITE);
	learn(&c, &r);
	assert_int_equal(vtb_coverage_stage(&c, WORK), VTB_COVERAGE_STAGES - 1);
	assert_int_equal(vtb_coverage_stage(&c, COUNT), VTB_COVERAGE_STAGES - 1);
	vtb_coverage_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_of_each_kind_comes_before_the_second_of_any),
		cmocka_unit_test(an_element_that_is_touched_elsewhere_too_is_of_another_kind),
		cmocka_unit_test(what_one_thread_touches_comes_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
