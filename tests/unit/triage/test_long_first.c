/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A first run of millions of operations, of which only what threads share is told: what the report says of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "fake_program.h"
#include "vtb/hunt_report.h"

#define WIDE 1000u /* a statement is one line */

static char *report(bool little_told)
{
	const struct vtb_report_style style = { .width = WIDE };
	struct fake_runner fake;
	struct vtb_hunt_result result = { .facts = { .tier = "tsan",
		                                     .carrier = "fibers",
		                                     .engine = "snapshot",
		                                     .strategy = "portfolio",
		                                     .stopped = "time",
		                                     .threads = 4,
		                                     .accesses = 6357656,
		                                     .operations = 544,
		                                     .little_told = little_told } };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fake_runner_init(&fake, &fake_account_locked);
	result.runner = &fake.base;
	vtb_hunt_report(&result, &style, to);
	assert_int_equal(fclose(to), 0);
	vtb_hunt_result_fini(&result);
	return text;
}

static void test_how_its_operations_divide_nobody_says(void **state)
{
	char *text = report(true);

	(void)state;
	assert_non_null(
	    strstr(text, "The first run passed 6,358,200 hooked operations in 4 threads; it is so long that"));
	assert_null(strstr(text, "hooked accesses and"));
	free(text);
	text = report(false);
	assert_non_null(
	    strstr(text, "passed 6,357,656 hooked accesses and 544 synchronisation operations in 4 threads."));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_how_its_operations_divide_nobody_says) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
