/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verdict.h"
#include "vtb/replay.h"

static enum vtb_verdict verdict_of(const struct vtb_pass_rule *from, struct vtb_wire_outcome o)
{
	struct pass_rule rule;

	assert_int_equal(vtb_pass_rule_init(&rule, from, NULL), 0);
	vtb_pass_rule_apply(&rule, &o);
	vtb_pass_rule_fini(&rule);
	return o.verdict;
}

static void by_default_only_status_0_passes(void **state)
{
	const struct vtb_pass_rule rule = { 0 };

	(void)state;
	assert_int_equal(verdict_of(&rule, (struct vtb_wire_outcome){ 0 }), VTB_V_NONE);
	assert_int_equal(verdict_of(&rule, (struct vtb_wire_outcome){ .exit_status = 1 }), VTB_V_EXIT);
	assert_int_equal(verdict_of(&rule, (struct vtb_wire_outcome){ .signal = 11, .exit_status = 139 }),
	                 VTB_V_SIGNAL);
}

static void what_the_runtime_found_stands(void **state)
{
	const struct vtb_pass_rule rule = { .any_exit_status = true };

	(void)state;
	assert_int_equal(verdict_of(&rule, (struct vtb_wire_outcome){ .verdict = VTB_V_DEADLOCK, .exit_status = 1 }),
	                 VTB_V_DEADLOCK);
	assert_int_equal(verdict_of(&rule, (struct vtb_wire_outcome){ .exit_status = 5 }), VTB_V_NONE);
}

static enum vtb_verdict by_text(const char *text, uint32_t status)
{
	int statuses[256];
	struct vtb_pass_rule rule = { 0 };

	assert_int_equal(vtb_fail_if_read(text, statuses, &rule), 0);
	return verdict_of(&rule, (struct vtb_wire_outcome){ .exit_status = status });
}

static void rules_in_words_mean_what_they_say(void **state)
{
	(void)state;
	assert_int_equal(by_text("exit!=0", 0), VTB_V_NONE);
	assert_int_equal(by_text("exit!=0", 255), VTB_V_EXIT);
	assert_int_equal(by_text("exit!=3", 0), VTB_V_EXIT);
	assert_int_equal(by_text("exit!=3", 3), VTB_V_NONE);
	assert_int_equal(by_text("exit=1,77", 77), VTB_V_EXIT);
	assert_int_equal(by_text("exit=1,77", 2), VTB_V_NONE);
	assert_int_equal(by_text("never", 9), VTB_V_NONE);
	assert_int_equal(by_text(NULL, 9), VTB_V_EXIT);
}

static void rules_that_are_none_are_refused(void **state)
{
	static const char *const bad[] = { "",
		                           "exit",
		                           "exit=",
		                           "exit!=",
		                           "exit=256",
		                           "exit=1,",
		                           "exit=,1",
		                           "exit=-1",
		                           "exit=+1",
		                           "exit!1",
		                           "exit=1x",
		                           "sometimes",
		                           "exit=99999999999999999999" };
	int statuses[256];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct vtb_pass_rule rule = { 0 };

		if (vtb_fail_if_read(bad[i], statuses, &rule) != -EINVAL)
			fail_msg("\"%s\" was taken for a rule", bad[i]);
	}
}

static void another_output_is_a_failure(void **state)
{
	char path[] = "/tmp/vtb-test-out-XXXXXX";
	const struct vtb_pass_rule rule = { .output = path };
	struct vtb_wire_outcome o = { .output_hash = vtb_fnv1a(FNV1A_START, "hello\n", 6), .output_size = 6 };
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, "hello\n", 6), 6);
	close(fd);
	assert_int_equal(verdict_of(&rule, o), VTB_V_NONE);
	o.output_size = 7;
	assert_int_equal(verdict_of(&rule, o), VTB_V_OUTPUT);
	o.output_size = 6;
	o.output_hash++;
	assert_int_equal(verdict_of(&rule, o), VTB_V_OUTPUT);
	unlink(path);
}

static void a_missing_expected_output_is_an_error(void **state)
{
	const struct vtb_pass_rule from = { .output = "/nonexistent/out" };
	struct pass_rule rule;
	struct vtb_error err = { 0 };

	(void)state;
	assert_int_equal(vtb_pass_rule_init(&rule, &from, &err), -ENOENT);
	assert_string_equal(err.path, "/nonexistent/out");
	vtb_pass_rule_fini(&rule);
}

/* Known answers from the algorithm's authors. */
static void the_hash_is_fnv_1a(void **state)
{
	(void)state;
	assert_true(vtb_fnv1a(FNV1A_START, "", 0) == 0xcbf29ce484222325ull);
	assert_true(vtb_fnv1a(FNV1A_START, "a", 1) == 0xaf63dc4c8601ec8cull);
	assert_true(vtb_fnv1a(FNV1A_START, "foobar", 6) == 0x85944171f73967e8ull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_default_only_status_0_passes),
		cmocka_unit_test(what_the_runtime_found_stands),
		cmocka_unit_test(rules_in_words_mean_what_they_say),
		cmocka_unit_test(rules_that_are_none_are_refused),
		cmocka_unit_test(another_output_is_a_failure),
		cmocka_unit_test(a_missing_expected_output_is_an_error),
		cmocka_unit_test(the_hash_is_fnv_1a),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
