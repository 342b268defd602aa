/* SPDX-License-Identifier: GPL-2.0-or-later */
/* one_run.h: a run of one schedule, and its class by the definition. */
#ifndef VTB_TEST_ONE_RUN_H
#define VTB_TEST_ONE_RUN_H

#include "prog.h"
#include "vtb/mazurkiewicz.h"

static inline void one_run(struct vtb_runner *runner, const struct vtb_schedule *s, struct vtb_exec *ret)
{
	*ret = (struct vtb_exec){ 0 };
	assert_int_equal(vtb_runner_run(runner, &s, 1, ret, NULL), 0);
}

static inline struct vtb_hash128 class_of_run(const struct vtb_runner *runner, const struct vtb_exec *x)
{
	struct vtb_mazurkiewicz *m;
	struct vtb_hash128 h = { 0, 0 };

	assert_true(vtb_mazurkiewicz_new(runner->tab, &m) >= 0);
	vtb_mazurkiewicz_begin(m);
	for (size_t i = 0; i < x->n_events; i++)
		assert_true(vtb_mazurkiewicz_feed(m, &x->events[i], &h) >= 0);
	vtb_mazurkiewicz_free(m);
	return h;
}

#endif /* VTB_TEST_ONE_RUN_H */
