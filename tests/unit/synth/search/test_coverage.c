/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "vtb/coverage.h"
#include "vtb/symtab.h"

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

/* A thread reads what it has written before another one reads it, and a third one has read it. */
static void what_its_own_thread_has_read_since_is_still_written(void **state)
{
	struct vtb_coverage c = { 0 };
	struct run r = { .n = 0 };

	(void)state;
	add(&r, 1, WORK, LOOP_SITE);
	add(&r, 1, WORK, LATE_SITE);
	add(&r, 2, WORK, LATE_SITE);
	add(&r, 1, COUNT, LATE_SITE);
	add(&r, 2, COUNT, LATE_SITE);
	for (size_t i = 1; i < r.n; i++)
		r.events[i].kind = VTB_E_READ;
	learn(&c, &r);
	assert_true(vtb_coverage_shared(&c, WORK));
	assert_int_equal(vtb_coverage_class(&c, WORK), VTB_COVERAGE_BARE);
	assert_false(vtb_coverage_shared(&c, COUNT));
	vtb_coverage_fini(&c);
}

/* Thread 1, created by main, creates thread 2 and joins it; main joins thread 1. Handles are variables 1 and 2. */
static void life(struct run *r, uint16_t thread, uint8_t kind, uint32_t handle)
{
	add(r, thread, handle, VTB_NONE);
	r->events[r->n - 1].kind = kind;
}

static bool is_shared(const struct run *r)
{
	struct vtb_object objects[] = { { .kind = VTB_OBJ_GLOBAL },
		                        { .kind = VTB_OBJ_THREAD, .thread = 1 },
		                        { .kind = VTB_OBJ_THREAD, .thread = 2 } };
	struct vtb_variable variables[] = { { .object = 0 }, { .object = 1 }, { .object = 2 } };
	const struct vtb_symtab tab = { .objects = objects, .n_objects = 3, .variables = variables, .n_variables = 3 };
	struct vtb_coverage c = { .tab = &tab };
	bool shared;
	struct run copy = *r;

	learn(&c, &copy);
	shared = vtb_coverage_shared(&c, 0);
	vtb_coverage_fini(&c);
	return shared;
}

static void joins_and_births_order_threads_that_know_each_other_through_others(void **state)
{
	struct run joined = { .n = 0 }, early = { .n = 0 }, born = { .n = 0 };

	(void)state;
	life(&joined, 0, VTB_E_THREAD_CREATE, 1);
	life(&joined, 1, VTB_E_THREAD_CREATE, 2);
	early = joined;
	add(&joined, 2, 0, LOOP_SITE);
	life(&joined, 1, VTB_E_THREAD_JOIN, 2);
	life(&joined, 0, VTB_E_THREAD_JOIN, 1);
	add(&joined, 0, 0, LOOP_SITE);
	assert_false(is_shared(&joined));

	add(&early, 2, 0, LOOP_SITE);
	life(&early, 1, VTB_E_THREAD_JOIN, 2);
	add(&early, 0, 0, LOOP_SITE); /* main has joined nobody yet */
	assert_true(is_shared(&early));

	add(&born, 0, 0, LOOP_SITE);
	life(&born, 0, VTB_E_THREAD_CREATE, 1);
	life(&born, 1, VTB_E_THREAD_CREATE, 2);
	add(&born, 2, 0, LOOP_SITE);
	assert_false(is_shared(&born));
	add(&born, 0, 0, LOOP_SITE);
	assert_true(is_shared(&born));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_of_each_kind_comes_before_the_second_of_any),
		cmocka_unit_test(an_element_that_is_touched_elsewhere_too_is_of_another_kind),
		cmocka_unit_test(what_one_thread_touches_comes_last),
		cmocka_unit_test(what_its_own_thread_has_read_since_is_still_written),
		cmocka_unit_test(joins_and_births_order_threads_that_know_each_other_through_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
