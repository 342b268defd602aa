/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core_probe.h"

#include <errno.h>
#include <stdlib.h>

#include "core_names.h"
#include "vtb/rng.h"
#include "vtb/wire.h"

#define BATCH 32u
#define BATCHES 12u /* without a run that refutes a core: it is believed */

bool core_probe_over(const struct core_probe *probe)
{
	return probe->made >= probe->budget || probe->runs->full ||
	       (probe->opts->stop && probe->opts->stop(probe->opts->data));
}

/* As runs are read: by its place. What a library does once, whoever comes first, moves the numbers of all that follow.
 */
static struct vtb_op op_of(const struct vtb_core_op *op)
{
	if (op->site != VTB_NONE || !op->index)
		return core_op_by_place(op);
	return (struct vtb_op){ .thread = op->thread, .index = op->index, .name = { .site = VTB_NONE } };
}

static struct vtb_core_op numbered(const struct core_probe *probe, size_t run, uint32_t op)
{
	struct vtb_core_op ret = probe->runs->ops[op];

	core_number(&probe->runs->runs[run], op, &ret);
	return ret;
}

static int constrain(struct vtb_schedule *s, const struct vtb_core_op *before, const struct vtb_core_op *after)
{
	return vtb_schedule_constrain(s, op_of(before), op_of(after));
}

/* Keep the set, and turn round one more literal: number `turned`, unless it is of the set. */
static int make_schedule(struct core_probe *probe, size_t failing, const struct core_literals *literals,
                         const struct core_set *set, size_t turned, struct vtb_schedule *s)
{
	bool in = turned >= literals->n_literals;
	int r = 0;

	*s = (struct vtb_schedule){ .policy = VTB_SCHEDULE_RANDOM, .seed = vtb_rng_next(&probe->rng) };
	for (size_t i = 0; i < set->n_places && r >= 0; i++) {
		const struct core_literal *l = &literals->literals[set->places[i]];
		const struct vtb_core_op before = numbered(probe, failing, l->before),
		                         after = numbered(probe, failing, l->after);

		in |= set->places[i] == turned;
		r = constrain(s, &before, &after);
	}
	if (r >= 0 && !in) {
		const struct core_literal *l = &literals->literals[turned];
		const struct vtb_core_op before = numbered(probe, failing, l->before),
		                         after = numbered(probe, failing, l->after);

		r = constrain(s, &after, &before);
	}
	return r;
}

/* Run them, and take what came of them. */
static int run_batch(struct core_probe *probe, struct vtb_schedule *schedules, size_t n)
{
	const struct vtb_schedule *pointers[BATCH];
	struct vtb_exec execs[BATCH] = { 0 };
	int r;

	for (size_t i = 0; i < n; i++)
		pointers[i] = &schedules[i];
	r = vtb_runner_run(probe->runner, pointers, n, execs, probe->err);
	probe->made += n;
	for (size_t i = 0; i < n; i++) {
		if (r >= 0)
			r = core_runs_add(probe->runs, &execs[i]);
		vtb_exec_fini(&execs[i]);
		vtb_schedule_fini(&schedules[i]);
	}
	return r < 0 ? r : 0;
}

/* What the runs from number `from` on say: a passing one that has them all refutes. */
static bool refuted(const struct core_probe *probe, size_t from, const struct core_literals *literals,
                    const struct core_set *set, uint64_t *kept)
{
	for (size_t i = from; i < probe->runs->n_runs; i++) {
		const struct core_run *run = &probe->runs->runs[i];

		if (!core_has(run, literals, set))
			continue;
		if (run->ending == CORE_PASSED)
			return true;
		++*kept;
	}
	return false;
}

int core_refute(struct core_probe *probe, size_t failing, const struct core_literals *literals,
                const struct core_set *set, uint64_t *ret_kept)
{
	size_t turned = 0;
	int r = 0;

	*ret_kept = 0;
	for (size_t batch = 0; batch < BATCHES && r >= 0 && !core_probe_over(probe); batch++) {
		struct vtb_schedule schedules[BATCH] = { 0 };
		const size_t from = probe->runs->n_runs;

		for (size_t i = 0; i < BATCH && r >= 0; i++)
			r = make_schedule(probe, failing, literals, set, i % 4 ? turned++ : SIZE_MAX, &schedules[i]);
		if (r >= 0) {
			r = run_batch(probe, schedules, BATCH);
		} else {
			for (size_t i = 0; i < BATCH; i++)
				vtb_schedule_fini(&schedules[i]);
		}
		if (r >= 0 && refuted(probe, from, literals, set, ret_kept))
			return 1;
	}
	return r;
}

int core_seek(struct core_probe *probe, const struct vtb_core *cores, size_t n_cores)
{
	struct vtb_schedule schedules[BATCH] = { 0 };
	int r = 0;

	for (size_t i = 0; i < BATCH && r >= 0; i++) {
		schedules[i] =
		    (struct vtb_schedule){ .policy = VTB_SCHEDULE_RANDOM, .seed = vtb_rng_next(&probe->rng) };
		for (size_t k = 0; k < n_cores && i % 4 && r >= 0; k++) {
			const struct vtb_core *core = &cores[k];
			const struct vtb_order_literal *l =
			    &core->literals[vtb_rng_below(&probe->rng, core->n_literals)];

			r = constrain(&schedules[i], &l->after, &l->before);
		}
	}
	if (r >= 0)
		return run_batch(probe, schedules, BATCH);
	for (size_t i = 0; i < BATCH; i++)
		vtb_schedule_fini(&schedules[i]);
	return r;
}
