/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file aim_search.h
 * A search by aim alone in an abstract program (prog.h). To be included behind cmocka.h.
 */
#ifndef VTB_TESTS_AIM_SEARCH_H
#define VTB_TESTS_AIM_SEARCH_H

#include "prog.h"
#include "vtb/strategies.h"

/* Schedules until the first failing run, it included; 0: none fails. */
static inline uint64_t first_failure(const struct prog *p, uint64_t *ret_all)
{
	const struct vtb_search_calls calls = { 0 };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search_opts opts;
	struct vtb_search *search;
	uint64_t first;
	int r;

	vtb_search_opts_init(&opts);
	opts.strategy = "aim";
	opts.budget = 100000;
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	r = vtb_search_run(search, &calls, NULL);
	assert_true(r == VTB_SEARCH_FOUND || r == VTB_SEARCH_EXHAUSTED);
	*ret_all = vtb_search_stats(search)->schedules;
	first = r == VTB_SEARCH_FOUND ? *ret_all : 0;
	assert_int_equal(vtb_search_stats(search)->diverged, 0);
	vtb_search_free(search);
	vtb_runner_free(runner);
	return first;
}

#endif /* VTB_TESTS_AIM_SEARCH_H */
