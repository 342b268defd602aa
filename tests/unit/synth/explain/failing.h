/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A failing run of an abstract program. */
#ifndef VTB_TEST_FAILING_H
#define VTB_TEST_FAILING_H

#include "prog.h"
#include "vtb/strategies.h"

/* The first failing run of a program that fails. */
static inline enum vtb_search_reply take_first(struct vtb_search *search, const struct vtb_schedule *s,
                                               const struct vtb_exec *x, struct vtb_tuple t, void *data)
{
	(void)search;
	(void)s;
	(void)t;
	assert_int_equal(vtb_exec_copy(x, data), 0);
	return VTB_SEARCH_STOP;
}

static inline bool find_failing(struct vtb_runner *runner, struct vtb_exec *ret)
{
	const struct vtb_search_calls calls = { .failing = take_first, .data = ret };
	struct vtb_search_opts opts;
	struct vtb_search *search;
	int r;

	vtb_search_opts_init(&opts);
	opts.strategy = "dfs";
	opts.c = opts.v = opts.t = opts.l = VTB_UNBOUNDED;
	opts.budget = 20000;
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	r = vtb_search_run(search, &calls, NULL);
	vtb_search_free(search);
	assert_true(r >= 0);
	return r == VTB_SEARCH_FOUND;
}

#endif /* VTB_TEST_FAILING_H */
