/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "thread_bound_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/rng.h"
#include "vtb/wire.h"

#define DRAWS 3u               /* so many times the placements asked for are drawn at most */
#define SMALL_SETS_THREADS 12u /* with more threads in the run only removal one by one is tried */

void vtb_thread_bound_fini(struct vtb_thread_bound *b)
{
	free(b->threads);
	*b = (struct vtb_thread_bound){ 0 };
}

/* ---- is S sufficient? */

static bool fails_alike(const struct thread_bound_state *b, const struct vtb_exec *x)
{
	const char *wanted = b->failing->outcome.signature, *got = x->outcome.signature;

	if (vtb_verdict_exit_code(x->outcome.verdict) != 1)
		return false;
	return !wanted || !wanted[0] ? x->outcome.verdict == b->failing->outcome.verdict
	                             : got && strcmp(wanted, got) == 0;
}

/* Has a thread of S done something else than in the failing run? Then it is not the place of the others that the
 * constraints cannot be met for, and those about what does not take place are met as they are (docs/algorithms.md, "The
 * thread bound t": order literal). */
static bool departed(const struct thread_bound_state *b, const struct vtb_exec *x)
{
	memset(b->done, 0, b->n_threads * sizeof(*b->done));
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		const struct thread_bound_step *step;

		if (e->kind == VTB_E_FAIL || e->kind == VTB_E_LOST || e->thread >= b->n_threads || !b->in[e->thread])
			continue;
		if (b->done[e->thread] >= b->ops[e->thread])
			return true;
		step = &b->steps[b->rows[b->first[e->thread] + b->done[e->thread]++]];
		if (step->kind != e->kind || step->var != e->var)
			return true;
	}
	return false;
}

/* Without the constraints whose first operation did not take place in x. False: there is none. */
static bool drop_unmet(const struct thread_bound_state *b, const struct vtb_exec *x, struct vtb_schedule *s)
{
	size_t kept = 0, before = s->n_constraints;

	memset(b->done, 0, b->n_threads * sizeof(*b->done));
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].kind != VTB_E_FAIL && x->events[i].kind != VTB_E_LOST &&
		    x->events[i].thread < b->n_threads)
			b->done[x->events[i].thread]++;
	for (size_t i = 0; i < before; i++)
		if (b->done[s->constraints[i].before.thread] >= s->constraints[i].before.index)
			s->constraints[kept++] = s->constraints[i];
	s->n_constraints = kept;
	return kept < before;
}

enum placed { FAILED, OTHERWISE, INFEASIBLE };

/* What schedule i of the batch has shown. */
static enum placed outcome_of(const struct thread_bound_state *b, size_t i)
{
	const struct vtb_outcome *o = &b->execs[i].outcome;
	const bool missed =
	    b->schedules[i].n_deviations && o->flags & VTB_OUT_DIVERGED; /* a lock of the others was in the way */

	if (fails_alike(b, &b->execs[i]))
		return FAILED;
	return missed || o->verdict == VTB_V_INFEASIBLE || o->verdict == VTB_V_DIVERGED ? INFEASIBLE : OTHERWISE;
}

/* Infeasible: because of S itself? Then again without what cannot take place. */
static int settle(struct thread_bound_state *b, size_t i, enum placed *placed)
{
	while (*placed == INFEASIBLE && b->execs[i].outcome.verdict == VTB_V_INFEASIBLE && departed(b, &b->execs[i])) {
		const struct vtb_schedule *again = &b->schedules[i];
		int r;

		*placed = OTHERWISE;
		if (!drop_unmet(b, &b->execs[i], &b->schedules[i]))
			return 0;
		vtb_exec_fini(&b->execs[i]);
		r = vtb_runner_run(b->runner, &again, 1, &b->execs[i], b->err);
		b->ret->runs++;
		if (r < 0)
			return r;
		*placed = outcome_of(b, i);
	}
	return 0;
}

/* Runs schedules [first, first + n). 1: all of them that were feasible failed alike; 0: not so. *failed counts those
 * that did. */
static int run_some(struct thread_bound_state *b, uint32_t first, size_t n, uint32_t *failed)
{
	int r = 0, all = 1;

	for (size_t i = 0; r >= 0 && i < n; i++) {
		b->pointers[i] = &b->schedules[i];
		r = vtb_thread_bound_schedule(b, first + (uint32_t)i, &b->schedules[i]);
	}
	if (r >= 0) {
		r = vtb_runner_run(b->runner, b->pointers, n, b->execs, b->err);
		b->ret->runs += n;
	}
	for (size_t i = 0; i < n; i++) {
		enum placed placed = r >= 0 ? outcome_of(b, i) : INFEASIBLE;

		if (r >= 0 && all)
			r = settle(b, i, &placed);
		*failed += r >= 0 && placed == FAILED;
		all &= placed != OTHERWISE;
		vtb_schedule_fini(&b->schedules[i]);
		vtb_exec_fini(&b->execs[i]);
	}
	return r < 0 ? r : all;
}

static bool out_of_budget(struct thread_bound_state *b)
{
	const uint64_t budget = b->opts->budget ? b->opts->budget : VTB_THREAD_BOUND_BUDGET;

	if (b->ret->runs + 2 > budget || (b->opts->stop && b->opts->stop(b->opts->data)))
		b->ret->ended_early = true;
	return b->ret->ended_early;
}

/* 1 if every schedule that was tried fails alike (and one at least did), else 0. The two extremes go first: most sets
 * fail there. Places that creation, joins or locks make impossible are drawn again, so that as many as asked for are
 * tried where there are. */
static int sufficient(struct thread_bound_state *b)
{
	const uint32_t wanted = 2 + b->placements, most = 2 + DRAWS * b->placements;
	uint32_t failed = 0;
	int r = 1;

	for (uint32_t i = 0; r == 1 && i < most && failed < wanted;) {
		const size_t want = i == 0 ? 2 : wanted - failed, n = want < b->batch ? want : b->batch;

		r = run_some(b, i, n, &failed);
		i += (uint32_t)n;
	}
	return r == 1 ? failed > 0 : r;
}

/* ---- the smallest S */

static uint32_t count_members(const struct thread_bound_state *b)
{
	uint32_t n = 0;

	for (uint32_t t = 0; t < b->n_threads; t++)
		n += b->in[t];
	return n;
}

/* Take out what can be taken out, main first: it is rarely needed. */
static int remove_one_by_one(struct thread_bound_state *b)
{
	for (uint32_t t = 0; t < b->n_threads && count_members(b) > 2; t++) {
		int r;

		if (!b->in[t])
			continue;
		if (out_of_budget(b))
			return 0;
		b->in[t] = false;
		r = sufficient(b);
		if (r < 0)
			return r;
		b->in[t] = r == 0;
	}
	return 0;
}

/* The next set of the same size, as a number whose bits are the members (Gosper). */
static uint64_t next_set(uint64_t set)
{
	const uint64_t low = set & -set, up = set + low;

	return up | ((set ^ up) >> 2) / low;
}

static int set_from_bits(struct thread_bound_state *b, const uint32_t *present, uint64_t bits)
{
	memset(b->in, 0, b->n_threads * sizeof(*b->in));
	for (uint32_t i = 0; bits >> i; i++)
		if (bits >> i & 1)
			b->in[present[i]] = true;
	return sufficient(b);
}

/* Any set of `size` threads that suffices? 1 and it stays in b->in; 0 none. */
static int find_of_size(struct thread_bound_state *b, const uint32_t *present, uint32_t n, uint32_t size)
{
	for (uint64_t set = (1ull << size) - 1; set < 1ull << n; set = next_set(set)) {
		int r;

		if (out_of_budget(b))
			return 0;
		r = set_from_bits(b, present, set);
		if (r)
			return r;
	}
	return 0;
}

static int try_smaller(struct thread_bound_state *b)
{
	const uint32_t found = count_members(b);
	uint32_t present[SMALL_SETS_THREADS], n = 0;
	bool best[SMALL_SETS_THREADS];
	int r = 0;

	for (uint32_t t = 0; t < b->n_threads; t++)
		if (b->ops[t]) {
			if (n == SMALL_SETS_THREADS)
				return 0;
			best[n] = b->in[t];
			present[n++] = t;
		}
	for (uint32_t size = 2; r == 0 && size < found; size++)
		r = find_of_size(b, present, n, size);
	if (r != 1) { /* none: what removal has left */
		memset(b->in, 0, b->n_threads * sizeof(*b->in));
		for (uint32_t i = 0; i < n; i++)
			b->in[present[i]] = best[i];
	}
	return r < 0 ? r : 0;
}

static int read_steps(struct thread_bound_state *b)
{
	for (size_t i = 0; i < b->failing->n_events; i++) {
		const struct vtb_event *e = &b->failing->events[i];

		if (e->kind == VTB_E_FAIL || e->kind == VTB_E_LOST)
			continue;
		if (vtb_array_room(b, steps) < 0)
			return -ENOMEM;
		b->in[e->thread] = true;
		b->steps[b->n_steps++] = (struct thread_bound_step){
			.thread = e->thread,
			.index = ++b->ops[e->thread],
			.kind = e->kind,
			.deviation = e->flags & VTB_EVF_DEVIATED ? e->deviation : 0,
			.place = e->place,
			.var = e->var,
		};
	}
	return 0;
}

static int index_steps(struct thread_bound_state *b)
{
	b->first = calloc((size_t)b->n_threads + 1, sizeof(*b->first));
	b->rows = calloc(b->n_steps + 1, sizeof(*b->rows));
	if (!b->first || !b->rows)
		return -ENOMEM;
	for (uint32_t t = 0; t < b->n_threads; t++)
		b->first[t + 1] = b->first[t] + b->ops[t];
	for (size_t i = 0; i < b->n_steps; i++)
		b->rows[b->first[b->steps[i].thread] + b->steps[i].index - 1] = (uint32_t)i;
	return 0;
}

static int prepare(struct thread_bound_state *b)
{
	int r;

	for (size_t i = 0; i < b->failing->n_events; i++)
		if (b->failing->events[i].thread >= b->n_threads)
			b->n_threads = b->failing->events[i].thread + 1u;
	b->batch = b->runner->ops->batch ? b->runner->ops->batch(b->runner) : 1;
	b->batch = b->batch < 2 ? 2 : b->batch;
	b->ops = calloc((size_t)b->n_threads + 1, sizeof(*b->ops));
	b->in = calloc((size_t)b->n_threads + 1, sizeof(*b->in));
	b->done = calloc((size_t)b->n_threads + 1, sizeof(*b->done));
	b->schedules = calloc(b->batch, sizeof(*b->schedules));
	b->pointers = calloc(b->batch, sizeof(*b->pointers));
	b->execs = calloc(b->batch, sizeof(*b->execs));
	if (!b->ops || !b->in || !b->done || !b->schedules || !b->pointers || !b->execs)
		return -ENOMEM;
	r = read_steps(b);
	return r < 0 ? r : index_steps(b);
}

static int write_result(struct thread_bound_state *b)
{
	struct vtb_thread_bound *ret = b->ret;

	ret->threads = calloc((size_t)b->n_threads + 1, sizeof(*ret->threads));
	if (!ret->threads)
		return -ENOMEM;
	for (uint32_t t = 0; t < b->n_threads; t++)
		if (b->in[t])
			ret->threads[ret->t++] = t;
	ret->t = ret->t < 2 ? 2 : ret->t; /* a run of one thread: nothing was bounded */
	return 0;
}

static int search_sets(struct thread_bound_state *b)
{
	int r = sufficient(b);

	if (r <= 0)
		return r; /* t stays 0 */
	r = remove_one_by_one(b);
	if (r >= 0)
		r = try_smaller(b);
	return r < 0 ? r : write_result(b);
}

int vtb_thread_bound(struct vtb_runner *runner, const struct vtb_exec *failing,
                     const struct vtb_thread_bound_opts *opts, struct vtb_thread_bound *ret, struct vtb_error *err)
{
	struct thread_bound_state b = { .runner = runner,
		                        .failing = failing,
		                        .opts = opts,
		                        .ret = ret,
		                        .err = err,
		                        .rng = vtb_mix64(opts->seed + 20),
		                        .placements = opts->placements ? opts->placements : 20 };
	int r;

	*ret = (struct vtb_thread_bound){ 0 };
	r = prepare(&b);
	if (r >= 0)
		r = search_sets(&b);
	free(b.steps);
	free(b.ops);
	free(b.in);
	free(b.first);
	free(b.rows);
	free(b.done);
	free(b.schedules);
	free(b.pointers);
	free(b.execs);
	if (r < 0)
		vtb_thread_bound_fini(ret);
	return r < 0 ? r : 0;
}
