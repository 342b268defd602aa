/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs whose first runs all fail, although some order passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake_program.h"
#include "hunt_priv.h"

/* Only if the thread, which comes late, is let in between main's first two operations. */
static const struct fake_op main_ops[] = { { FAKE_CREATE, 0, 1 }, { FAKE_SET, 0, 1 },   { FAKE_WRITE, 0, 0 },
	                                   { FAKE_READ, 0, 0 },   { FAKE_CHECK, 0, 2 }, { FAKE_JOIN, 0, 1 },
	                                   { FAKE_END, 0, 0 } };
static const struct fake_op late_ops[] = { { FAKE_READ, 1, 0 }, { FAKE_READ, 1, 0 },  { FAKE_READ, 1, 0 },
	                                   { FAKE_READ, 1, 0 }, { FAKE_READ, 1, 0 },  { FAKE_READ, 1, 0 },
	                                   { FAKE_READ, 1, 0 }, { FAKE_READ, 1, 0 },  { FAKE_READ, 1, 0 },
	                                   { FAKE_SET, 0, 2 },  { FAKE_WRITE, 0, 0 }, { FAKE_END, 0, 0 } };
static const struct fake_program rarely_passes = {
	.threads = { main_ops, late_ops }, .n_threads = 2, .vars = { "turn", "other" }, .n_vars = 2
};

static void what_passes_in_the_end_fails_by_an_order(void **state)
{
	struct vtb_hunt_result result;
	struct vtb_hunt_opts opts;
	struct fake_runner fake;
	struct vtb_error err = { 0 };
	struct vtb_hunt hunt;

	(void)state;
	vtb_hunt_opts_init(&opts);
	opts.search.strategy = "dfs";
	opts.search.seconds = 20;
	fake_runner_init(&fake, &rarely_passes);
	result = (struct vtb_hunt_result){ .runner = &fake.base };
	vtb_hunt_begin(&hunt, &opts, &result, &err);
	assert_int_equal(vtb_hunt_core(&hunt), 0);
	assert_int_equal(result.verdict, VTB_V_ASSERTION);
	assert_int_equal(result.n_findings, 1);
	assert_false(result.findings[0].regardless);
	assert_int_equal(result.findings[0].tuple.c, 0);
	assert_int_equal(result.findings[0].confirmed, VTB_HUNT_CONFIRM);
	vtb_hunt_result_fini(&result);
}

static void a_run_of_which_nothing_is_known_refutes_nothing(void **state)
{
	static const uint32_t flags[] = { VTB_OUT_DIVERGED, VTB_OUT_CRASHED, VTB_OUT_TRUNCATED };
	struct vtb_finding finding = { .exec.outcome.verdict = VTB_V_ASSERTION };
	const struct vtb_hunt_result result = { .verdict = VTB_V_REGARDLESS, .findings = &finding, .n_findings = 1 };
	struct vtb_exec x = { .outcome.verdict = VTB_V_NONE };

	(void)state;
	assert_true(vtb_hunt_refutes_regardless(&result, &x));
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		x.outcome.flags = flags[i];
		assert_false(vtb_hunt_refutes_regardless(&result, &x));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_passes_in_the_end_fails_by_an_order),
		cmocka_unit_test(a_run_of_which_nothing_is_known_refutes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
