/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorded_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/races.h"

/* Variables with a race, by id: the order of accesses to others follows from that of synchronisation. NULL: out of
 * memory. */
static bool *racing_variables(const struct vtb_trace *trace)
{
	bool *racing = calloc(trace->tab.n_variables + 1, sizeof(*racing));
	struct vtb_races races = { 0 };

	if (!racing || vtb_races_of(trace, &races) < 0) {
		free(racing);
		return NULL;
	}
	for (size_t i = 0; i < races.n_races; i++)
		if (races.races[i].var < trace->tab.n_variables)
			racing[races.races[i].var] = true;
	vtb_races_fini(&races);
	return racing;
}

/* Is this operation's place among the others known, and does it matter? */
static bool is_ordered(const struct vtb_trace *trace, const bool *racing, const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	if (info->family != VTB_FAMILY_MEMORY && info->family != VTB_FAMILY_ATOMIC && info->family != VTB_FAMILY_HEAP)
		return true;
	if (trace->order != VTB_ORDER_TOTAL)
		return info->family == VTB_FAMILY_HEAP;
	return info->family == VTB_FAMILY_ATOMIC || (e->var < trace->tab.n_variables && racing[e->var]);
}

static void keep_last(struct vtb_schedule *s)
{
	const size_t excess = s->n_constraints > VTB_DEVIATIONS_LIMIT ? s->n_constraints - VTB_DEVIATIONS_LIMIT : 0;

	memmove(s->constraints, s->constraints + excess, (s->n_constraints - excess) * sizeof(*s->constraints));
	s->n_constraints -= excess;
}

/* What the others would have done next is not in the recording: the thread that failed did so before they could. */
static int let_it_fail(const struct vtb_trace *trace, struct vtb_schedule *s)
{
	if (trace->order != VTB_ORDER_TOTAL || trace->outcome.thread >= trace->tab.n_threads || s->n_ranks)
		return 0;
	if (vtb_array_room(s, ranks) < 0)
		return -ENOMEM;
	s->ranks[s->n_ranks++] = trace->outcome.thread;
	s->policy = VTB_SCHEDULE_PRIORITY;
	return 0;
}

int vtb_recorded_order(const struct vtb_trace *trace, struct vtb_schedule *s)
{
	uint32_t *done = calloc(VTB_THREADS_LIMIT, sizeof(*done));
	bool *racing = racing_variables(trace);
	struct vtb_op last = { .thread = VTB_NONE };
	int r = done && racing ? 0 : -ENOMEM;

	for (size_t i = 0; r >= 0 && i < trace->n_events; i++) {
		const struct vtb_event *e = &trace->events[i];
		struct vtb_op op;

		if (!vtb_event_is_operation(e))
			continue;
		op = (struct vtb_op){ .thread = e->thread, .index = ++done[e->thread], .name = { .site = VTB_NONE } };
		if (!is_ordered(trace, racing, e))
			continue;
		if (last.thread != VTB_NONE && last.thread != op.thread)
			r = vtb_schedule_constrain(s, last, op);
		last = op;
	}
	free(done);
	free(racing);
	if (r >= 0 && s->n_constraints)
		keep_last(s);
	return r < 0 ? r : let_it_fail(trace, s);
}

/* ---- the runner */

struct constrained {
	struct vtb_runner runner;
	struct vtb_runner *inner;
	const struct vtb_schedule *extra;
};

static int run_one(struct constrained *c, const struct vtb_schedule *s, struct vtb_exec *x, struct vtb_error *err)
{
	struct vtb_schedule copy;
	const struct vtb_schedule *pointer = &copy;
	int r = vtb_schedule_copy(s, &copy);

	for (size_t i = 0; r >= 0 && i < c->extra->n_constraints; i++)
		r = vtb_schedule_constrain(&copy, c->extra->constraints[i].before, c->extra->constraints[i].after);
	if (r >= 0)
		r = vtb_runner_run(c->inner, &pointer, 1, x, err);
	vtb_schedule_fini(&copy);
	return r;
}

static int constrained_run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                           struct vtb_exec *execs, struct vtb_error *err)
{
	struct constrained *c = (struct constrained *)runner;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++)
		r = run_one(c, schedules[i], &execs[i], err);
	runner->schedules += n;
	return r;
}

static size_t constrained_batch(const struct vtb_runner *runner)
{
	(void)runner;
	return 8;
}

static void constrained_free(struct vtb_runner *runner)
{
	free(runner);
}

static const struct vtb_runner_ops constrained_ops = {
	.name = "constrained", .run = constrained_run, .batch = constrained_batch, .free = constrained_free
};

int vtb_constrained_new(struct vtb_runner *inner, const struct vtb_schedule *extra, struct vtb_runner **ret)
{
	struct constrained *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->runner = (struct vtb_runner){ .ops = &constrained_ops, .tab = inner->tab };
	c->inner = inner;
	c->extra = extra;
	*ret = &c->runner;
	return 0;
}
