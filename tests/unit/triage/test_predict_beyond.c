/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runs say together of what no schedule tries: orders that are too weak, large accesses that race. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../hbgraph/make_trace.h"
#include "predict_beyond.h"
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

	assert_int_equal(vtb_predict_beyond(&p, &strong, 1, &t.tab), 0);
	assert_int_equal(p.weak, VTB_WEAK_NONE);
	vtb_trace_fini(&t);
	make_run(&t, __ATOMIC_RELEASE, 0, true);
	const struct vtb_exec weak = exec_of(&t);

	assert_int_equal(vtb_predict_beyond(&p, &weak, 1, &t.tab), 0); /* a class that was looked at before */
	assert_int_equal(p.weak, VTB_WEAK_NONE);
	assert_int_equal(vtb_predict_beyond(&p, &weak, 2, &t.tab), 0);
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
		assert_int_equal(vtb_predict_beyond(&p, &x, 0, &t.tab), 0);
	assert_true(p.weak_steps < VTB_PREDICT_WEAK_STEPS / 10);
	while (p.weak == VTB_WEAK_NONE && ++runs < 1000)
		assert_int_equal(vtb_predict_beyond(&p, &x, runs, &t.tab), 0);
	assert_int_equal(p.weak, VTB_WEAK_UNSEEN);
	assert_true(runs >= VTB_PREDICT_WEAK_STEPS / 4 / 20000 && runs <= VTB_PREDICT_WEAK_STEPS / 20000);
	vtb_predictions_fini(&p);
	vtb_trace_fini(&t);
}

enum { ALONE = 1, LOCKED = 2, SMALL = 4 };

/* Two threads write a variable of 16 bytes; how often, and how. */
static void make_copies(struct vtb_trace *t, uint32_t n, unsigned how)
{
	uint32_t v[2], lock, children[2];

	t_begin(t, 3);
	for (uint32_t i = 0; i < 2; i++)
		v[i] = t_object(t, VTB_OBJ_GLOBAL, "pair", how & SMALL ? 8 : 16, VTB_NONE);
	lock = t_lock(t, "lock");
	for (uint32_t i = 0; i < 2; i++) {
		children[i] = t_thread(t, i + 1);
		t_event(t, 0, VTB_E_THREAD_CREATE, children[i], 0);
	}
	for (uint32_t i = 0; i < 2; i++) {
		t_event(t, i + 1, VTB_E_THREAD_BEGIN, children[i], 0);
		for (uint32_t k = 0; k < n; k++) {
			if (how & LOCKED)
				t_event(t, i + 1, VTB_E_LOCK, lock, 1);
			t_event(t, i + 1, VTB_E_WRITE, v[how & ALONE ? i : 0], 2);
			if (how & LOCKED)
				t_event(t, i + 1, VTB_E_UNLOCK, lock, 3);
		}
	}
}

static void accesses_that_may_tear_are_told_from_others(void **state)
{
	static const struct {
		unsigned how;
		const char *torn;
	} rows[] = { { 0, "pair" }, { ALONE, "" }, { LOCKED, "" }, { SMALL, "" } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct vtb_predictions p = { 0 };
		struct vtb_trace t;

		make_copies(&t, 3, rows[i].how);
		const struct vtb_exec x = exec_of(&t);

		assert_int_equal(vtb_predict_beyond(&p, &x, 1, &t.tab), 0);
		assert_string_equal(p.torn, rows[i].torn);
		assert_false(p.torn_unseen);
		vtb_predictions_fini(&p);
		vtb_trace_fini(&t);
	}
}

static void large_accesses_that_nobody_has_looked_at_are_said(void **state)
{
	static const unsigned hows[] = { ALONE, LOCKED };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct vtb_predictions p = { 0 };
		struct vtb_trace t;
		uint32_t runs = 0;

		make_copies(&t, 20000, hows[i]);
		const struct vtb_exec x = exec_of(&t);

		while (!p.torn_unseen && ++runs < 2000)
			assert_int_equal(vtb_predict_beyond(&p, &x, runs, &t.tab), 0);
		assert_true(p.torn_unseen && p.torn_steps >= VTB_PREDICT_TORN_STEPS);
		assert_true(runs > 10 && runs < 1000);
		vtb_predictions_fini(&p);
		vtb_trace_fini(&t);
	}
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
		{ VTB_WEAK_UNSEEN,
		  "interleavings only: some atomic operations are not seq_cst, and not every run was" },
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

static void what_is_claimed_tears_no_access(void **state)
{
	static const struct {
		struct vtb_hunt_facts facts;
		const char *bound, *words;
	} rows[] = {
		{ { .torn = "pair" }, "in all schedules that tear no access", "as it may at pair, was not tried" },
		{ { .torn_unseen = true }, "in all schedules that tear no access", "8 bytes were one step each; not" },
		{ { .weak = VTB_WEAK_MANY, .torn = "pair", .pruned = true },
		  "in all sequentially consistent schedules that tear no access and that can matter to a failure",
		  "as it may at pair, was not tried" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct vtb_hunt_result result = { .verdict = VTB_V_NONE, .facts = rows[i].facts };
		char text[4000];

		result.facts.complete = result.facts.enumerated = true;
		result.facts.done.c = VTB_UNBOUNDED;
		assert_non_null(strstr(vtb_hunt_statement(&result, text, sizeof(text)), rows[i].words));
		vtb_report_bound(&result.facts, text, sizeof(text));
		assert_non_null(strstr(text, rows[i].bound));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_places_of_two_threads_are_named),
		cmocka_unit_test(what_there_was_no_time_for_is_said),
		cmocka_unit_test(accesses_that_may_tear_are_told_from_others),
		cmocka_unit_test(large_accesses_that_nobody_has_looked_at_are_said),
		cmocka_unit_test(what_is_claimed_is_of_interleavings),
		cmocka_unit_test(what_is_claimed_tears_no_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
