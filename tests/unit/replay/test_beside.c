/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is written down beside a failing run, and what is not even tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "beside.h"

/* A run of a million operations takes seconds. */
static void beside_a_run_too_long_to_be_kept_none_is_made(void **state)
{
	struct vtb_schedule s = { 0 };
	struct vtb_failure failure = { .trace = { .n_events = VTB_PASSING_EVENTS_MAX + 1 } };

	(void)state;
	assert_int_equal(vtb_schedule_deviate(&s, 1, 5, VTB_DEV_SWITCH, 2, VTB_NONE, 1), 0);
	assert_int_equal(vtb_beside_passing(NULL, &s, &failure), 0); /* there is nothing to run it with */
	assert_int_equal(failure.passing.n_events, 0);
	vtb_schedule_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beside_a_run_too_long_to_be_kept_none_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
