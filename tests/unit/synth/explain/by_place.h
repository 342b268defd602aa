/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A runner of an abstract program that knows constraints by place: it looks them up in a run that has all. */
#ifndef VTB_TEST_BY_PLACE_H
#define VTB_TEST_BY_PLACE_H

#include <stdlib.h>

#include "prog.h"

struct by_place {
	struct vtb_runner base;
	struct vtb_runner *inner;
	struct vtb_exec whole; /* the longest run so far */
};

static inline void by_place_number(const struct by_place *b, struct vtb_op *op)
{
	uint32_t n = 0, seen = 0;

	if (op->index != VTB_OP_BY_SITE)
		return;
	for (size_t i = 0; i < b->whole.n_events; i++) {
		const struct vtb_event *e = &b->whole.events[i];

		n += e->thread == op->thread && vtb_event_is_operation(e);
		seen += e->thread == op->thread && e->site == op->name.site &&
		        (op->name.kind ? e->kind == op->name.kind : vtb_event_is_operation(e));
		if (seen == op->name.occurrence) {
			op->index = n;
			return;
		}
	}
	op->index = UINT32_MAX - 1; /* never */
}

static inline int by_place_run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                               struct vtb_exec *execs, struct vtb_error *err)
{
	struct by_place *b = (struct by_place *)runner;

	for (size_t i = 0; i < n; i++) {
		struct vtb_schedule own;
		const struct vtb_schedule *one = &own;

		assert_int_equal(vtb_schedule_copy(schedules[i], &own), 0);
		for (size_t k = 0; k < own.n_constraints; k++) {
			by_place_number(b, &own.constraints[k].before);
			by_place_number(b, &own.constraints[k].after);
		}
		assert_int_equal(vtb_runner_run(b->inner, &one, 1, &execs[i], err), 0);
		vtb_schedule_fini(&own);
		if (execs[i].n_events > b->whole.n_events) {
			vtb_exec_fini(&b->whole);
			assert_int_equal(vtb_exec_copy(&execs[i], &b->whole), 0);
		}
	}
	runner->schedules += n;
	return 0;
}

static inline void by_place_free(struct vtb_runner *runner)
{
	struct by_place *b = (struct by_place *)runner;

	vtb_exec_fini(&b->whole);
	vtb_runner_free(b->inner);
	free(b);
}

static inline struct vtb_runner *by_place_runner(const struct prog *p)
{
	static const struct vtb_runner_ops ops = { .name = "by-place", .run = by_place_run, .free = by_place_free };
	struct by_place *b = calloc(1, sizeof(*b));

	b->inner = prog_runner(p);
	b->base = (struct vtb_runner){ .ops = &ops, .tab = b->inner->tab };
	return &b->base;
}

#endif /* VTB_TEST_BY_PLACE_H */
