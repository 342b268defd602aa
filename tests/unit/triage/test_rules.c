/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The orders that tell failing from passing recordings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_program.h"
#include "suspects.h"
#include "vtb/ingest.h"

static void add(struct vtb_suspects *s, struct fake_runner *fake, const struct vtb_schedule *schedule, bool failing)
{
	struct vtb_exec x = fake_run(fake, schedule);
	struct vtb_trace trace;

	assert_int_equal(x.outcome.verdict != VTB_V_NONE, failing);
	assert_int_equal(vtb_trace_from_exec(&x, fake->base.tab, &trace), 0);
	assert_int_equal(vtb_suspects_add(s, &trace, failing), 0);
	vtb_trace_fini(&trace);
	vtb_exec_fini(&x);
}

static void the_order_that_only_failing_runs_have_is_named(void **state)
{
	struct fake_runner fake;
	struct vtb_suspects *s;
	struct vtb_schedule lost = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK };
	struct vtb_suspect found[3];
	size_t n;

	(void)state;
	fake_runner_init(&fake, &fake_account);
	assert_int_equal(vtb_schedule_deviate(&lost, 1, 2, VTB_DEV_SWITCH, 2, 0, 1), 0); /* after thread 0.0 has read */
	assert_int_equal(vtb_suspects_new(&s), 0);
	add(s, &fake, &lost, true);
	add(s, &fake, NULL, false);
	assert_int_equal(vtb_suspects_rank(s, 1, 1, found, 3, &n), 0);
	assert_true(n >= 1);
	assert_false(vtb_suspects_same(s, 1));
	assert_true(vtb_suspects_same(s, 2)); /* the order is not in both of two failing runs */
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(found[i].variable, "balance");
		assert_int_equal(found[i].failing, 1);
		assert_int_equal(found[i].passing, 0);
		assert_true(strstr(found[i].earlier, "writes") || strstr(found[i].later, "writes"));
		free(found[i].variable);
		free(found[i].earlier);
		free(found[i].later);
	}
	vtb_suspects_free(s);
	vtb_schedule_fini(&lost);
	vtb_runner_free(&fake.base);
}

static void without_passing_runs_nothing_is_suspected(void **state)
{
	struct vtb_suspects *s;
	struct vtb_suspect found[3];
	size_t n = 9;

	(void)state;
	assert_int_equal(vtb_suspects_new(&s), 0);
	assert_int_equal(vtb_suspects_rank(s, 1, 0, found, 3, &n), 0);
	assert_int_equal(n, 0);
	vtb_suspects_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_that_only_failing_runs_have_is_named),
		cmocka_unit_test(without_passing_runs_nothing_is_suspected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
