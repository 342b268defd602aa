/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What many runs say together of orders that are too weak. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../hbgraph/make_trace.h"
#include "predict.h"
#include "report_parts.h"
#include "vtb/hunt_report.h"

/* Two threads that each write one of two variables and read the other, by operations of this order; besides, each adds
 * so often to a variable of its own. */
static void make_run(struct vtb_trace *t, unsigned order, uint32_t additions, bool both)
{
	uint32_t v[4], children[2];

	t_begin(t, 3);
	for (uint32_t i = 0; i < 4; i++)
		v[i] = t_int(t, "v");
	for (uint32_t i = 0; i < 2; i++) {
		children[i] = t_thread(t, i + 1);
		t_event(t, 0, VTB_E_THREAD_CREATE, children[i], 0);
	}
	for (uint32_t i = 0; i < 2; i++) {
		t_event(t, i + 1, VTB_E_THREAD_BEGIN, children[i], 0);
		for (uint32_t k = 0; k < additions; k++)
			t_atomic(t, i + 1, VTB_E_ATOMIC_RMW, v[2 + i], 1, __ATOMIC_RELAXED);
		t_atomic(t, i + 1, VTB_E_ATOMIC_STORE, v[i], 2 + i, order);
		if (both)
			t_atomic(t, i + 1, VTB_E_ATOMIC_LOAD, v[1 - i], 4 + i, order);
	}
}

static struct vtb_exec exec_of(const struct vtb_trace *t)
{
	return (struct vtb_exec){ .events = t->events, .n_events = t->n_events };
}

static void the_places_of_two_threads_are_named(void **state)
{
	struct vtb_predictions p = { 0 };
	struct vtb_trace t;

	(void)state;
	make_run(&t, __ATOMIC_SEQ_CST, 1, true);
	const struct vtb_exec strong = exec_of(&t);

	assert_int_equal(vtb_predict_weak(&p, &strong, 1, &t.tab), 0);
	assert_int_equal(p.weak, VTB_WEAK_NONE);
	vtb_trace_fini(&t);
	make_run(&t, __ATOMIC_RELEASE, 0, true);
	const struct vtb_exec weak = exec_of(&t);

	assert_int_equal(vtb_predict_weak(&p, &weak, 1, &t.tab), 0); /* a class that was looked at before */
	assert_int_equal(p.weak, VTB_WEAK_NONE);
	assert_int_equal(vtb_predict_weak(&p, &weak, 2, &t.tab), 0);
	assert_int_equal(p.weak, VTB_WEAK_TWO);
	assert_non_null(strstr(p.weak_at, "file.c:2 before file.c:4"));
	assert_non_null(strstr(p.weak_at, "file.c:3 before file.c:5"));
	vtb_predictions_fini(&p);
	vtb_trace_fini(&t);
}

static void what_there_was_no_time_for_is_said(void **state)
{
	struct vtb_predictions p = { 0 };
	struct vtb_trace t;
	uint32_t runs = 0;

	(void)state;
	make_run(&t, __ATOMIC_SEQ_CST, 20000, false);
	const struct vtb_exec x = exec_of(&t);

	for (uint32_t i = 0; i < 10; i++) /* one class */
		assert_int_equal(vtb_predict_weak(&p, &x, 0, &t.tab), 0);
	assert_true(p.weak_steps < VTB_PREDICT_WEAK_STEPS / 10);
	while (p.weak == VTB_WEAK_NONE && ++runs < 1000)
		assert_int_equal(vtb_predict_weak(&p, &x, runs, &t.tab), 0);
	assert_int_equal(p.weak, VTB_WEAK_UNSEEN);
	assert_true(runs >= VTB_PREDICT_WEAK_STEPS / 4 / 20000 && runs <= VTB_PREDICT_WEAK_STEPS / 20000);
	vtb_predictions_fini(&p);
	vtb_trace_fini(&t);
}

static void what_is_claimed_is_of_interleavings(void **state)
{
	static const struct {
		enum vtb_weak weak;
		const char *words;
	} rows[] = {
		{ VTB_WEAK_TWO, "interleavings only: without a fence in between, the orders of the atomic operations "
		                "at a.c:1 before a.c:2 are so weak that each" },
		{ VTB_WEAK_MANY, "interleavings only: three threads or more have atomic operations on several "
		                 "variables, such as at a.c:1 before a.c:2, that" },
		{ VTB_WEAK_UNSEEN, "interleavings only: some atomic operations are not seq_cst, and there was no" },
		{ VTB_WEAK_NONE, "interleavings only." },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct vtb_hunt_result result = { .verdict = VTB_V_NONE,
			                          .facts = { .complete = true,
			                                     .enumerated = true,
			                                     .weak = rows[i].weak,
			                                     .weak_at = "a.c:1 before a.c:2" } };
		char text[4000];

		result.facts.done.c = VTB_UNBOUNDED;
		assert_non_null(strstr(vtb_hunt_statement(&result, text, sizeof(text)), rows[i].words));
		vtb_report_bound(&result.facts, text, sizeof(text));
		assert_non_null(
		    strstr(text, rows[i].weak ? "in all sequentially consistent schedules" : "in all schedules"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_places_of_two_threads_are_named),
		cmocka_unit_test(what_there_was_no_time_for_is_said),
		cmocka_unit_test(what_is_claimed_is_of_interleavings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
