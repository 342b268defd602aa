/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What operations count as when some are not seen, against counting them one by one; and for how many schedules that is
 * worth it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

#include "selective/selective.h"
#include "vtb/past.h"
#include "vtb/rng.h"

#define THREADS 3u
#define SITES 8u
#define OPS 3000u

static uint32_t sites[THREADS][OPS];
static uint32_t n_sites[THREADS];

static void made(struct vtb_past *past, uint64_t *rng)
{
	for (uint32_t t = 0; t < THREADS; t++)
		n_sites[t] = 0;
	for (uint32_t i = 0, n = (uint32_t)vtb_rng_below(rng, OPS); i < n; i++) {
		const uint16_t t = (uint16_t)vtb_rng_below(rng, THREADS);
		const uint32_t site = vtb_rng_below(rng, 9) ? (uint32_t)vtb_rng_below(rng, SITES) : VTB_NONE;

		sites[t][n_sites[t]++] = site;
		assert_int_equal(vtb_past_add(past, &(struct vtb_event){ .thread = t, .site = site }), 0);
	}
}

static uint32_t counted(uint32_t thread, uint32_t n, const uint8_t *quiet, uint32_t n_quiet)
{
	uint32_t loud = 0;

	for (uint32_t i = 0; i < n && i < n_sites[thread]; i++)
		loud += sites[thread][i] >= n_quiet || !quiet[sites[thread][i]];
	return loud;
}

static void operations_are_counted_without_the_quiet_ones(void **state)
{
	struct vtb_past past = { 0 };
	uint64_t rng = 1;
	uint8_t quiet[SITES];

	(void)state;
	for (uint64_t choice = 1; choice <= 200; choice++) {
		const uint32_t n_quiet = (uint32_t)vtb_rng_below(&rng, SITES + 1);

		if (choice % 3 == 1) { /* another run; the others are the same with other sites quiet */
			vtb_past_clear(&past);
			assert_true(vtb_past_is_empty(&past));
			made(&past, &rng);
		}
		for (uint32_t i = 0; i < SITES; i++)
			quiet[i] = (uint8_t)vtb_rng_below(&rng, 2);
		for (uint32_t i = 0; i < 100; i++) {
			const uint32_t t = (uint32_t)vtb_rng_below(&rng, THREADS + 1);
			const uint32_t n = (uint32_t)vtb_rng_below(&rng, OPS);

			assert_int_equal(vtb_past_loud(&past, t, n, quiet, n_quiet, choice),
			                 t < THREADS ? counted(t, n, quiet, n_quiet) : 0);
		}
	}
	vtb_past_fini(&past);
}

static void behind_the_end_of_a_thread_stands_nothing(void **state)
{
	struct vtb_past past = { 0 };
	uint32_t site = 0;

	(void)state;
	assert_false(vtb_past_site(&past, 0, 0, &site));
	assert_int_equal(vtb_past_add(&past, &(struct vtb_event){ .kind = VTB_E_READ, .thread = 1, .site = 7 }), 0);
	assert_true(vtb_past_site(&past, 1, 0, &site));
	assert_int_equal(site, 7);
	assert_false(vtb_past_site(&past, 1, 1, &site)); /* it may go on */
	assert_false(vtb_past_site(&past, 0, 0, &site));
	assert_int_equal(vtb_past_add(&past, &(struct vtb_event){ .kind = VTB_E_THREAD_END, .thread = 1, .site = 8 }),
	                 0);
	assert_true(vtb_past_site(&past, 1, 1, &site));
	assert_int_equal(site, 8);
	assert_true(vtb_past_site(&past, 1, 2, &site));
	assert_int_equal(site, VTB_NONE);
	assert_false(vtb_past_site(&past, 1, 3, &site));
	vtb_past_fini(&past);
}

/* ---- how many schedules are enough */

static int64_t all_quiet(struct vtb_runner *runner, uint8_t *quiet, size_t n)
{
	(void)runner;
	(void)quiet;
	return (int64_t)n;
}

/* Of two schedules that deviate at variable 1: is the second run without the n accesses to variable 0? */
static bool two_are_enough(uint32_t n)
{
	static const struct vtb_runner_ops ops = { .quiet = all_quiet };
	struct vtb_symtab tab = { 0 };
	struct vtb_runner runner = { .ops = &ops, .tab = &tab };
	struct vtb_event *events = calloc(n + 2, sizeof(*events));
	uint64_t *enabled = calloc(n + 2, sizeof(*enabled));
	struct vtb_exec x = {
		.events = events, .n_events = n + 2, .enabled = enabled, .n_enabled = n + 2, .stride = 1
	};
	struct vtb_past past = { 0 };
	struct vtb_plan plans[2] = { { .past = &past, .vars = { 1 }, .n_vars = 1 },
		                     { .past = &past, .vars = { 1 }, .n_vars = 1 } };
	struct vtb_selective s;
	uint8_t how[2];

	assert_true(events && enabled);
	for (uint32_t i = 0; i < n + 2; i++)
		events[i] = (struct vtb_event){ .kind = VTB_E_READ,
			                        .site = i == 0   ? 5
			                                : i == 1 ? 6
			                                         : 7,
			                        .var = i == 1,
			                        .size = 4 };
	vtb_selective_init(&s, &runner, VTB_SELECTIVE_AUTO);
	assert_int_equal(vtb_selective_learn(&s, &x), 0);
	assert_int_equal(vtb_selective_choose(&s, plans, 2, how), 0);
	assert_int_equal(how[0], VTB_RUN_WHOLE);
	vtb_selective_fini(&s);
	free(events);
	free(enabled);
	return how[1] == VTB_RUN_QUIET;
}

static void few_schedules_are_enough_if_they_are_long(void **state)
{
	(void)state;
	assert_false(two_are_enough(100000));
	assert_true(two_are_enough(1000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_are_counted_without_the_quiet_ones),
		cmocka_unit_test(behind_the_end_of_a_thread_stands_nothing),
		cmocka_unit_test(few_schedules_are_enough_if_they_are_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
