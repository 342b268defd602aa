/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/test_list.h"

static void expect(const char *output, const char *want)
{
	char *got = vtb_test_failed(output, strlen(output));

	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
	free(got);
}

static void googletest_names_test_and_place(void **state)
{
	(void)state;
	expect(
	    "[==========] Running 2 tests\n[ RUN      ] A.Good\n[       OK ] A.Good (0 ms)\n[ RUN      ] "
	    "A.Bad\nx.cc:12: Failure\nExpected equality\n"
	    "[  FAILED  ] A.Bad (1 ms)\n[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.Bad\n",
	    "A.Bad at x.cc:12");
	expect("[ RUN      ] P/T.X/0\nx.cc:3: Failure\n[  FAILED  ] P/T.X/0, where GetParam() = 4 (0 ms)\n",
	       "P/T.X/0 at x.cc:3");
}

static void a_test_that_ended_the_program_was_the_one_running(void **state)
{
	(void)state;
	expect("[ RUN      ] A.Good\n[       OK ] A.Good (0 ms)\n[ RUN      ] A.Aborts\nprog: x.cc:7: Assertion `b' "
	       "failed.\n",
	       "A.Aborts");
}

static void cmocka_names_test_and_line(void **state)
{
	(void)state;
	expect("[==========] Running 1 test(s).\n[ RUN      ] adds\n[  ERROR   ] --- 0x1 != 0x2\n[   LINE   ] --- "
	       "t.c:22: error: Failure!\n[  FAILED  ] adds\n[  FAILED  ] 1 test(s), listed below:\n",
	       "adds at t.c:22");
}

static void catch2_names_the_test_of_the_heading(void **state)
{
	static const char ruler[] = "-------------------------------------------------------------------------------\n",
	                  dots[] = "...............................................................................\n";
	char text[1000];

	(void)state;
	snprintf(text, sizeof(text), "%stwo at a time\n%sx.cc:6\n%s\nx.cc:9: FAILED:\n  REQUIRE( a == b )\n", ruler,
	         ruler, dots);
	expect(text, "two at a time at x.cc:9");
}

static void other_output_names_nothing(void **state)
{
	(void)state;
	expect("", NULL);
	expect("hello\n\n[ RUN", NULL);
	expect("[ RUN      ] A.Good\n[       OK ] A.Good (0 ms)\n", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(googletest_names_test_and_place),
		cmocka_unit_test(a_test_that_ended_the_program_was_the_one_running),
		cmocka_unit_test(cmocka_names_test_and_line),
		cmocka_unit_test(catch2_names_the_test_of_the_heading),
		cmocka_unit_test(other_output_names_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
