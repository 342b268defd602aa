/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/starter.h"

static char env[] = "/usr/bin/env", bare_env[] = "env", unset[] = "-u", name[] = "VTB_TEST_GONE",
            setting[] = "VTB_TEST_SET=a=b c", empty[] = "VTB_TEST_EMPTY=";
static char option[] = "-i", program[] = "prog", argument[] = "x=y";

static void settings_before_a_program_are_made_and_left_out(void **state)
{
	char *const argv[] = { env, setting, unset, name, empty, program, argument, NULL };

	(void)state;
	setenv("VTB_TEST_GONE", "there", 1);
	assert_ptr_equal(vtb_starter_environment(argv), argv + 5);
	assert_string_equal(getenv("VTB_TEST_SET"), "a=b c");
	assert_string_equal(getenv("VTB_TEST_EMPTY"), "");
	assert_null(getenv("VTB_TEST_GONE"));
}

static void other_words_stay_and_set_nothing(void **state)
{
	char *const options[] = { bare_env, setting, option, program, NULL },
	            *const nothing[] = { bare_env, setting, NULL }, *const plain[] = { program, setting, NULL },
	            *const half[] = { bare_env, unset, NULL };

	(void)state;
	unsetenv("VTB_TEST_SET");
	assert_ptr_equal(vtb_starter_environment(options), options);
	assert_ptr_equal(vtb_starter_environment(nothing), nothing);
	assert_ptr_equal(vtb_starter_environment(plain), plain);
	assert_ptr_equal(vtb_starter_environment(half), half);
	assert_null(getenv("VTB_TEST_SET"));
}

static void an_environment_comes_back(void **state)
{
	char **kept = NULL;

	(void)state;
	setenv("VTB_TEST_SET", "before", 1);
	assert_int_equal(vtb_environment_keep(&kept), 0);
	setenv("VTB_TEST_SET", "after", 1);
	setenv("VTB_TEST_NEW", "after", 1);
	vtb_environment_restore(kept);
	assert_string_equal(getenv("VTB_TEST_SET"), "before");
	assert_null(getenv("VTB_TEST_NEW"));
}

/* Where ptrace is not allowed it says so; that is all that can be asked there. */
static int follow(char *const *argv, unsigned msec)
{
	struct vtb_started started = { 0 };
	const int r = vtb_starter_follow(VTB_STARTER_ONLY, argv, "/", msec, NULL, &started, NULL);

	assert_int_equal(started.argv != NULL, r == 1);
	vtb_started_fini(&started);
	return r;
}

static void who_starts_nothing_starts_nothing(void **state)
{
	static char sh[] = "/bin/sh", command[] = "-c", leaves[] = "exit 3", missing[] = "/nonexistent/program",
	            loops[] = "while :; do :; done";
	char *const ends[] = { sh, command, leaves, NULL }, *const none[] = { missing, NULL },
	            *const endless[] = { sh, command, loops, NULL };
	const int r = follow(ends, 60000);

	(void)state;
	if (r == -EPERM)
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(follow(none, 60000), 0);
	assert_int_equal(follow(endless, 50), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_before_a_program_are_made_and_left_out),
		cmocka_unit_test(other_words_stay_and_set_nothing),
		cmocka_unit_test(an_environment_comes_back),
		cmocka_unit_test(who_starts_nothing_starts_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
