/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of [CVT13]: found at their tuple, and nothing below it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "prog.h"
#include "vtb/strategies.h"
#include "vtb/thread_bound.h"

static struct vtb_search *search_figure(int figure, const char *strategy, struct vtb_runner **ret_runner, int *ret_end)
{
	struct vtb_search_opts opts;
	struct vtb_search *search;
	struct vtb_search_calls calls = { 0 }; /* stops at the first failing run */
	struct prog p;

	prog_figure(figure, &p);
	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.t = 4;
	opts.budget = 20000;
	*ret_runner = prog_runner(&p);
	assert_int_equal(vtb_strategies_begin(*ret_runner, &opts, &search, NULL), 0);
	*ret_end = vtb_search_run(search, &calls, NULL);
	return search;
}

static void check_figures(const char *strategy)
{
	for (int i = 0; i < PROG_FIGURES; i++) {
		struct vtb_runner *runner;
		int end;
		struct vtb_search *search = search_figure(i, strategy, &runner, &end);
		const struct vtb_search_stats *stats = vtb_search_stats(search);

		print_message("%s: %s found (%u,%u) after %llu schedules of %llu classes\n", prog_figures[i].name,
		              strategy, stats->lowest.c, stats->lowest.v, (unsigned long long)stats->schedules,
		              (unsigned long long)stats->classes);
		assert_int_equal(end, VTB_SEARCH_FOUND);
		assert_int_equal(stats->lowest.c, prog_figures[i].tuple.c);
		assert_int_equal(stats->lowest.v, prog_figures[i].tuple.v);
		if (strcmp(strategy, "dfs") == 0)
			assert_true(stats->lower_levels_complete);
		vtb_search_free(search);
		vtb_runner_free(runner);
	}
}

static void dfs_finds_every_figure_at_its_tuple(void **state)
{
	(void)state;
	check_figures("dfs");
}

static void cvt_finds_every_figure_at_its_tuple(void **state)
{
	(void)state;
	check_figures("cvt");
}

static void exhaust_below(int figure, const char *strategy, uint32_t c, uint32_t v)
{
	struct vtb_search_opts opts;
	struct vtb_search_calls calls = { 0 };
	struct vtb_runner *runner;
	struct vtb_search *search;
	struct vtb_claim claim;
	struct prog p;

	prog_figure(figure, &p);
	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.c = c;
	opts.v = v;
	opts.t = 4;
	runner = prog_runner(&p);
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	assert_int_equal(vtb_search_run(search, &calls, NULL), VTB_SEARCH_EXHAUSTED);
	assert_int_equal(vtb_search_stats(search)->failing, 0);
	vtb_search_claim(search, &claim);
	if (strcmp(strategy, "dfs") == 0)
		assert_true(claim.complete && !claim.unbounded);
	vtb_search_free(search);
	vtb_runner_free(runner);
}

static void exhaustion_below_the_tuple_finds_nothing(void **state)
{
	(void)state;
	for (int i = 0; i < PROG_FIGURES; i++) {
		const struct vtb_tuple t = prog_figures[i].tuple;

		if (t.c == 0)
			continue;
		exhaust_below(i, "dfs", t.c - 1, t.c - 1);
		exhaust_below(i, "cvt", t.c - 1, t.c - 1);
		exhaust_below(i, "dfs", t.c, t.v - 1); /* and not with fewer variables */
		exhaust_below(i, "cvt", t.c, t.v - 1);
	}
}

static enum vtb_search_reply only_lower(struct vtb_search *search, const struct vtb_schedule *s,
                                        const struct vtb_exec *x, struct vtb_tuple t, void *data)
{
	(void)search;
	(void)s;
	(void)x;
	*(struct vtb_tuple *)data = t;
	return VTB_SEARCH_ONLY_LOWER;
}

static void the_portfolio_goes_on_to_the_lowest_tuple(void **state)
{
	(void)state;
	for (int i = 0; i < PROG_FIGURES; i++) {
		struct vtb_tuple last = { .c = 99 };
		const struct vtb_search_calls calls = { .failing = only_lower, .data = &last };
		struct vtb_search_opts opts;
		struct vtb_search *search;
		struct vtb_runner *runner;
		struct prog p;

		prog_figure(i, &p);
		vtb_search_opts_init(&opts);
		runner = prog_runner(&p);
		assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
		assert_int_equal(vtb_search_run(search, &calls, NULL), VTB_SEARCH_EXHAUSTED);
		assert_int_equal(vtb_search_stats(search)->lowest.c, prog_figures[i].tuple.c);
		assert_int_equal(vtb_search_stats(search)->lowest.v, prog_figures[i].tuple.v);
		assert_true(vtb_search_stats(search)->lower_levels_complete);
		vtb_search_free(search);
		vtb_runner_free(runner);
	}
}

static enum vtb_search_reply measure(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                                     struct vtb_tuple t, void *data)
{
	(void)search;
	(void)s;
	(void)t;
	assert_int_equal(vtb_exec_copy(x, data), 0);
	return VTB_SEARCH_STOP;
}

static void the_thread_bound_of_every_figure_is_the_papers(void **state)
{
	(void)state;
	for (int i = 0; i < PROG_FIGURES; i++) {
		struct vtb_exec failing = { 0 };
		const struct vtb_search_calls calls = { .failing = measure, .data = &failing };
		const struct vtb_thread_bound_opts bound_opts = { .seed = 1 };
		struct vtb_thread_bound bound;
		struct vtb_search_opts opts;
		struct vtb_search *search;
		struct vtb_runner *runner;
		struct prog p;

		prog_figure(i, &p);
		vtb_search_opts_init(&opts);
		opts.strategy = "dfs";
		runner = prog_runner(&p);
		assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
		assert_int_equal(vtb_search_run(search, &calls, NULL), VTB_SEARCH_FOUND);
		assert_int_equal(vtb_thread_bound(runner, &failing, &bound_opts, &bound, NULL), 0);
		print_message("%s: t = %u after %llu schedules\n", prog_figures[i].name, bound.t,
		              (unsigned long long)bound.runs);
		assert_int_equal(bound.t, prog_figures[i].tuple.t);
		assert_false(bound.ended_early);
		vtb_thread_bound_fini(&bound);
		vtb_exec_fini(&failing);
		vtb_search_free(search);
		vtb_runner_free(runner);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dfs_finds_every_figure_at_its_tuple),
		cmocka_unit_test(cvt_finds_every_figure_at_its_tuple),
		cmocka_unit_test(exhaustion_below_the_tuple_finds_nothing),
		cmocka_unit_test(the_thread_bound_of_every_figure_is_the_papers),
		cmocka_unit_test(the_portfolio_goes_on_to_the_lowest_tuple),
	};

	return cmocka_run_group_tests_name("figures", tests, NULL, NULL);
}
