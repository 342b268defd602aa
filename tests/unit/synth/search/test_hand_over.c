/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks that see nothing new for long: dpor goes on, and what is said afterwards is true of both. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "prog.h"
#include "vtb/strategies.h"

#define BUDGET 20000u

static const char *const walks[] = { "random", "pos", "surw", "pct", "pctvb", "pcttb" };
#define WALKS (sizeof(walks) / sizeof(walks[0]))

static struct vtb_search_opts options(const char *strategy)
{
	struct vtb_search_opts opts;

	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.budget = BUDGET;
	opts.seed = 3;
	return opts;
}

static int search(const struct prog *p, const struct vtb_search_opts *opts, struct vtb_search_stats *stats,
                  struct vtb_claim *claim)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on };

	return run_search(p, opts, &calls, stats, claim);
}

static void add(struct prog *p, int thread, enum prog_code code, int obj, int k)
{
	prog_add(p, thread, (struct prog_instr){ .code = code, .obj = obj, .k = k });
}

/* Four writes of two threads to one variable: 4! / (2! 2!) = 6 classes, beside them writes that nobody else sees. */
static void six_classes(struct prog *p)
{
	*p = (struct prog){ .n_threads = 3, .n_vars = 3, .n_locks = 1, .n_conds = 1 };
	prog_create_all(p);
	for (int t = 1; t <= 2; t++)
		for (int i = 0; i < 2; i++) {
			add(p, t, P_WRITE, 0, i);
			add(p, t, P_WRITE, t, i);
		}
	prog_join_all(p);
}

static void a_program_of_six_classes_ends_complete_under_every_walk(void **state)
{
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct prog p;

	(void)state;
	six_classes(&p);
	for (size_t i = 0; i < WALKS; i++) {
		struct vtb_search_opts opts = options(walks[i]);
		char words[64];

		snprintf(words, sizeof(words), " schedules of %s, the last ", walks[i]);
		assert_int_equal(search(&p, &opts, &stats, &claim), VTB_SEARCH_EXHAUSTED);
		assert_true(claim.complete && claim.unbounded && claim.exhausted);
		assert_int_equal(stats.classes, 6);
		assert_true(stats.schedules >= VTB_QUIET_LEAST && stats.schedules < 4 * VTB_QUIET_LEAST);
		assert_non_null(strstr(claim.text, "every class of interleavings was executed"));
		assert_non_null(strstr(claim.text, "; dpor went on after "));
		assert_non_null(strstr(claim.text, words));
		assert_true(claim.probability <= 0);
	}
}

static void who_forbids_it_gets_walks_to_the_end(void **state)
{
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct prog p;

	(void)state;
	six_classes(&p);
	for (size_t i = 0; i < WALKS; i++)
		for (int exhaust = 0; exhaust < 2; exhaust++) {
			struct vtb_search_opts opts = options(walks[i]);

			opts.budget = BUDGET / 4;
			opts.no_hand_over = !exhaust;
			opts.exhaust = exhaust;
			assert_int_equal(search(&p, &opts, &stats, &claim), VTB_SEARCH_BUDGET);
			assert_int_equal(stats.schedules, BUDGET / 4);
			assert_false(claim.complete);
			assert_null(strstr(claim.text, "went on"));
		}
}

/* Thread 2 does more if it reads what is there only between the two writes of thread 1: without change points in the
 * middle, none of the orders of whole threads shows it. A compare-exchange may fail for no reason, and dpor does not
 * try that. */
static void more_in_the_middle(struct prog *p, int kinds)
{
	*p = (struct prog){ .n_threads = 3, .n_vars = 2, .n_locks = 1, .n_conds = 1, .kinds = (uint32_t)kinds };
	prog_create_all(p);
	add(p, 1, P_WRITE, 0, 1);
	add(p, 1, P_WRITE, 0, 2);
	if (kinds)
		prog_add(p, 1, (struct prog_instr){ .code = P_CAS, .obj = 1, .reg = 1, .k = 0 });
	prog_add(p, 2, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
	prog_add(p, 2, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 1, .n = 2 });
	add(p, 2, P_WRITE, 1, 1);
	add(p, 2, P_WRITE, 1, 2);
	prog_join_all(p);
}

static void what_the_walks_could_not_see_is_seen(void **state)
{
	struct vtb_search_opts opts = options("pct"), all = options("dpor");
	struct vtb_search_stats stats, both;
	struct vtb_claim claim;
	struct prog p;

	(void)state;
	more_in_the_middle(&p, 0);
	search(&p, &all, &stats, &claim);
	opts.c = 0;
	assert_int_equal(search(&p, &opts, &both, &claim), VTB_SEARCH_EXHAUSTED);
	assert_true(claim.complete);
	assert_int_equal(both.classes, stats.classes);
}

/* dpor comes to its end without being complete: pct goes on, and says no odds that rest on shorter runs. */
static void walks_go_on_if_nothing_is_complete(void **state)
{
	struct vtb_search_opts opts = options("pct");
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct prog p;

	(void)state;
	more_in_the_middle(&p, 1 << VTB_DEV_CAS_FAIL);
	opts.c = 0;
	opts.budget = BUDGET / 4;
	assert_int_equal(search(&p, &opts, &stats, &claim), VTB_SEARCH_BUDGET);
	assert_int_equal(stats.schedules, BUDGET / 4);
	assert_false(claim.complete || claim.exhausted);
	assert_non_null(strstr(claim.text, "dpor went on after"));
	assert_non_null(strstr(claim.text, "some did"));
	assert_true(claim.probability <= 0);
}

static void who_sees_new_classes_is_left_alone(void **state)
{
	struct vtb_search_opts opts = options("random");
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct prog p = { .n_threads = 4, .n_vars = 3, .n_locks = 1, .n_conds = 1 };

	(void)state;
	prog_create_all(&p);
	for (int t = 1; t < 4; t++)
		for (int i = 0; i < 9; i++)
			add(&p, t, i % 2 ? P_READ : P_WRITE, i % 3, t);
	prog_join_all(&p);
	opts.budget = 3000;
	assert_int_equal(search(&p, &opts, &stats, &claim), VTB_SEARCH_BUDGET);
	assert_null(strstr(claim.text, "went on"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_of_six_classes_ends_complete_under_every_walk),
		cmocka_unit_test(who_forbids_it_gets_walks_to_the_end),
		cmocka_unit_test(what_the_walks_could_not_see_is_seen),
		cmocka_unit_test(walks_go_on_if_nothing_is_complete),
		cmocka_unit_test(who_sees_new_classes_is_left_alone),
	};

	return cmocka_run_group_tests_name("hand over", tests, NULL, NULL);
}
