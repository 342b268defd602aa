/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schedules that begin at what only failing recordings have. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../synth/trace_build.h"
#include "aimed.h"
#include "suspects.h"

enum { X = 3, Y }; /* variables behind those of the three threads */

static size_t touch(struct vtb_trace *trace, uint32_t thread, enum vtb_event_kind kind, uint32_t var)
{
	build_event(trace, thread, kind, var);
	return trace->n_events - 1;
}

/* Threads 1 and 2 write x in one of two orders, and y always in the same one. Returns the first write of x. */
static size_t make(struct vtb_trace *trace, uint32_t first)
{
	size_t at;

	build_trace(trace, 3);
	build_var(trace, VTB_OBJ_GLOBAL, VTB_NONE, "x");
	build_var(trace, VTB_OBJ_GLOBAL, VTB_NONE, "y");
	build_births(trace, 3);
	touch(trace, 1, VTB_E_WRITE, Y);
	at = touch(trace, first, VTB_E_WRITE, X);
	touch(trace, 3 - first, VTB_E_WRITE, X);
	touch(trace, 2, VTB_E_WRITE, Y);
	build_joins(trace, 3);
	return at;
}

static size_t rank(const struct vtb_trace *failing, const struct vtb_trace *passing, struct vtb_suspect *ret)
{
	struct vtb_suspects *s;
	size_t n;

	assert_int_equal(vtb_suspects_new(&s), 0);
	assert_int_equal(vtb_suspects_add(s, failing, true), 0);
	assert_int_equal(vtb_suspects_add(s, passing, false), 0);
	assert_int_equal(vtb_suspects_rank(s, 1, 1, ret, VTB_TRIAGE_SUSPECTS, &n), 0);
	vtb_suspects_free(s);
	return n;
}

static void free_suspects(struct vtb_suspect *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(s[i].variable);
		free(s[i].earlier);
		free(s[i].later);
	}
}

static void an_order_of_failing_runs_is_found_again(void **state)
{
	struct vtb_suspect suspects[VTB_TRIAGE_SUSPECTS];
	struct vtb_suspect_pair pair;
	struct vtb_trace failing, passing;
	const size_t at = make(&failing, 2);
	size_t n;

	(void)state;
	make(&passing, 1);
	n = rank(&failing, &passing, suspects);
	assert_int_equal(n, 1);
	assert_string_equal(suspects[0].variable, "x");
	assert_int_equal(vtb_suspects_in(&failing, suspects, 1, &pair), 0);
	assert_true(pair.found);
	assert_int_equal(pair.earlier, at);
	assert_int_equal(pair.later, at + 1);
	assert_int_equal(vtb_suspects_in(&passing, suspects, 1, &pair), 0);
	assert_false(pair.found);
	free_suspects(suspects, n);
	vtb_trace_fini(&failing);
	vtb_trace_fini(&passing);
}

/* Thread 2's write of x is its first operation, that of thread 1 its second. */
static void its_schedules_keep_that_order(void **state)
{
	struct vtb_suspect suspects[VTB_TRIAGE_SUSPECTS];
	struct vtb_schedules set = { 0 };
	struct vtb_trace failing, passing;
	size_t n, aimed;

	(void)state;
	make(&failing, 2);
	make(&passing, 1);
	n = rank(&failing, &passing, suspects);
	assert_int_equal(vtb_aimed_schedules(&failing, suspects, n, &set, &aimed), 0);
	assert_int_equal(aimed, 1 + VTB_AIMED_DRAWS);
	assert_int_equal(set.n_schedules, aimed);
	for (size_t i = 0; i < aimed; i++) {
		const struct vtb_schedule *s = &set.schedules[i];

		assert_int_equal(s->n_constraints, 1);
		assert_string_equal(vtb_thread_path(&set.tab, s->constraints[0].before.thread), "0.1");
		assert_int_equal(s->constraints[0].before.index, 1);
		assert_string_equal(vtb_thread_path(&set.tab, s->constraints[0].after.thread), "0.0");
		assert_int_equal(s->constraints[0].after.index, 2);
		assert_int_equal(s->policy, i ? VTB_SCHEDULE_RANDOM : VTB_SCHEDULE_RUN_TO_BLOCK);
	}
	vtb_schedules_fini(&set);
	free_suspects(suspects, n);
	vtb_trace_fini(&failing);
	vtb_trace_fini(&passing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_order_of_failing_runs_is_found_again),
		cmocka_unit_test(its_schedules_keep_that_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
