/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said where a wait ended by its deadline although others could go on, and nothing else is known. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "vtb/told.h"

static struct vtb_cause_repair repair = { .kind = "order", .text = "Turn it round.", .schedules = 7 };

/* Of a run of one wait of that kind. */
static const char *advice(unsigned kind, unsigned deviation, size_t n_repairs, char *buf, size_t size)
{
	struct vtb_event wait = { .kind = (uint8_t)kind, .flags = VTB_EVF_DEVIATED, .deviation = (uint8_t)deviation };
	struct vtb_site site = { .file = "/src/cache.cc", .line = 39 };
	struct vtb_symtab tab = { .sites = &site, .n_sites = 1 };
	struct vtb_exec run = { .events = &wait,
		                .n_events = 1,
		                .outcome = { .verdict = VTB_V_EXIT, .exit_status = 1 } };
	struct vtb_cause cause = { .class = "timing-assumption", .repairs = &repair, .n_repairs = n_repairs };
	struct vtb_causes causes = { .causes = &cause, .n_causes = 1 };
	const struct vtb_told told = { .causes = &causes, .run = &run, .tab = &tab };

	return vtb_told_advice(&told, buf, size);
}

static void who_sleeps_is_to_wait_for_what_is_done(void **state)
{
	char text[700];

	(void)state;
	assert_string_equal(
	    advice(VTB_E_SLEEP, VTB_DEV_TIMEOUT, 0, text, sizeof(text)),
	    "No sleep is long enough on a busy machine: at cache.cc:39 wait for what the other threads are to "
	    "do, by a condition variable, a future or a join; or look for it again and again, until a limit "
	    "that only something broken comes to.");
}

static void a_deadline_is_to_be_far_away(void **state)
{
	char text[700];

	(void)state;
	assert_string_equal(
	    advice(VTB_E_COND_WAKE, VTB_DEV_TIMEOUT, 0, text, sizeof(text)),
	    "On a busy machine the deadline at cache.cc:39 passes before the other threads have done what it "
	    "waits for: that is no failure of theirs. Wait without a deadline, or by one that only something "
	    "broken comes to.");
}

static void nothing_is_said_of_other_deviations_or_beside_a_repair(void **state)
{
	char text[700];

	(void)state;
	assert_string_equal(advice(VTB_E_SLEEP, 0, 0, text, sizeof(text)), "");
	assert_string_equal(advice(VTB_E_SLEEP, VTB_DEV_TIMEOUT, 1, text, sizeof(text)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_sleeps_is_to_wait_for_what_is_done),
		cmocka_unit_test(a_deadline_is_to_be_far_away),
		cmocka_unit_test(nothing_is_said_of_other_deviations_or_beside_a_repair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
