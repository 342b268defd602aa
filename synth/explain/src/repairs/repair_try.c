/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A repair on real runs: every order of its pieces as constraints under each schedule that is run. */
#include <errno.h>
#include <stdlib.h>

#include "core_names.h"
#include "repairs.h"
#include "vtb/rng.h"
#include "vtb/strategies.h"
#include "vtb/wire.h"

#define SEARCHED 400u /* schedules in all orders together, by dfs */
#define RANDOM 8u     /* and so many at random in each */
#define SHARES 10u    /* of the budget: the first repair that is tried is not to leave nothing for the others */

/* A runner that adds constraints to whatever it is asked for. */
struct constrained {
	struct vtb_runner base;
	struct vtb_runner *inner;
	struct vtb_schedule constraints; /* only these of it */
};

static int add_constraints(const struct constrained *c, const struct vtb_schedule *s, struct vtb_schedule *ret)
{
	int r = vtb_schedule_copy(s, ret);

	for (size_t i = 0; i < c->constraints.n_constraints && r >= 0; i++)
		r = vtb_schedule_constrain_while(ret, c->constraints.constraints[i].before,
		                                 c->constraints.constraints[i].after);
	ret->wakes_all = c->constraints.wakes_all;
	return r;
}

static int run_constrained(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                           struct vtb_exec *execs, struct vtb_error *err)
{
	struct constrained *c = (struct constrained *)runner;
	struct vtb_schedule *own = calloc(n + 1, sizeof(*own));
	const struct vtb_schedule **pointers = calloc(n + 1, sizeof(*pointers));
	int r = own && pointers ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && r >= 0; i++) {
		pointers[i] = &own[i];
		r = add_constraints(c, schedules[i], &own[i]);
	}
	if (r >= 0)
		r = vtb_runner_run_some(c->inner, pointers, n, execs, &runner->done, err);
	for (size_t i = 0; own && i < n; i++)
		vtb_schedule_fini(&own[i]);
	free(own);
	free(pointers);
	runner->schedules = c->inner->schedules;
	return r;
}

static size_t batch_constrained(const struct vtb_runner *runner)
{
	const struct constrained *c = (const struct constrained *)runner;

	return c->inner->ops->batch ? c->inner->ops->batch(c->inner) : 1;
}

static void keep(struct vtb_runner *runner)
{
	(void)runner; /* it lives with its caller */
}

static const struct vtb_runner_ops constrained_ops = {
	.name = "constrained", .run = run_constrained, .batch = batch_constrained, .free = keep
};

/* ---- what a run says of the repair */

struct trial {
	const struct repair *repair, *whole; /* what is enforced, of what may be kept: all of it but for one check */
	const struct vtb_core_repair_opts *opts;
	struct constrained runner;
	uint64_t rng, passed;
	struct vtb_exec *passing; /* the first that passed and has an order of the repair */
	int status;
	bool refuted, kept; /* some run that passes has an order of the repair, and not only for its thread's end */
	bool in_vain;       /* nobody did what it forbids, and the run failed all the same */
};

static size_t place_of(const struct vtb_exec *x, const struct vtb_core_op *op)
{
	uint32_t n = 0;

	for (size_t i = 0; i < x->n_events; i++) {
		n += x->events[i].thread == op->thread && x->events[i].site == op->site &&
		     vtb_event_pending_kind(x->events[i].kind) == vtb_event_pending_kind(op->kind);
		if (n == op->occurrence)
			return i;
	}
	return SIZE_MAX;
}

static bool did(const struct vtb_exec *x, const struct vtb_core_op *op)
{
	return place_of(x, op) != SIZE_MAX;
}

static bool lives(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = 0; i < x->n_pending; i++)
		if (x->pending[i].thread == thread)
			return true;
	return false;
}

/* The constraints cannot be met: is it the repair that keeps somebody waiting for ever? A thread that has begun a piece
 * and does not come to its end would hold the lock. An order that the program does not allow is none of that. */
static bool stuck(const struct repair *r, const struct vtb_exec *x)
{
	for (size_t i = 0; i < r->n_pieces; i++)
		if (lives(x, r->pieces[i].first.thread) && did(x, &r->pieces[i].first) && !did(x, &r->pieces[i].last))
			return true;
	return r->n_flips > 0 && !r->n_pieces;
}

/* What is to come before the later one. */
static const struct vtb_core_op *waited_for(const struct repair_flip *f)
{
	return f->has_done ? &f->done : &f->sooner;
}

static bool keeps(const struct repair *r, const struct vtb_exec *x)
{
	for (size_t i = 0; i < r->n_flips; i++)
		if (did(x, &r->flips[i].later) &&
		    (r->flips[i].end || place_of(x, waited_for(&r->flips[i])) < place_of(x, &r->flips[i].later)))
			return true;
	return !r->n_flips;
}

/* A compare-exchange that fails without need is made again: a piece that ends with it does not end there. */
static bool is_cut_short(const struct repair *r, const struct vtb_exec *x)
{
	bool exchanges = false;

	for (size_t i = 0; i < r->n_pieces; i++)
		exchanges |= vtb_event_pending_kind(r->pieces[i].last.kind) == VTB_E_ATOMIC_RMW;
	for (size_t i = 0; i < x->n_events && exchanges; i++)
		if (x->events[i].flags & VTB_EVF_DEVIATED && x->events[i].deviation == VTB_DEV_CAS_FAIL)
			return true;
	return false;
}

static void judge(struct trial *t, const struct vtb_exec *x)
{
	if (is_cut_short(t->repair, x))
		return;
	if (x->outcome.verdict == VTB_V_INFEASIBLE)
		t->refuted |= stuck(t->repair, x);
	else if (vtb_verdict_exit_code(x->outcome.verdict) == 1) {
		t->refuted = true;
		t->in_vain |= !x->brief && !x->partial && !(x->outcome.flags & VTB_OUT_DIVERGED) &&
		              repair_is_kept(t->whole, t->runner.base.tab, t->opts, x);
	} else if (vtb_verdict_exit_code(x->outcome.verdict) == 0 && !(x->outcome.flags & VTB_OUT_DIVERGED)) {
		t->passed++;
		if (!t->passing->n_events && keeps(t->repair, x) && !x->brief && t->status == 0)
			t->status = vtb_exec_copy(x, t->passing);
		t->kept = t->kept || keeps(t->repair, x);
	}
}

static enum vtb_search_reply on_failing(struct vtb_search *search, const struct vtb_schedule *s,
                                        const struct vtb_exec *x, struct vtb_tuple tuple, void *data)
{
	struct trial *t = data;

	(void)search;
	(void)s;
	(void)tuple;
	judge(t, x);
	return t->refuted ? VTB_SEARCH_STOP : VTB_SEARCH_GO_ON;
}

static void on_executed(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                        uint64_t class_id, bool new_class, void *data)
{
	(void)search;
	(void)s;
	(void)class_id;
	(void)new_class;
	judge(data, x);
}

static bool over(const struct trial *t)
{
	return t->refuted || (t->opts->stop && t->opts->stop(t->opts->data));
}

static bool on_progress(struct vtb_search *search, void *data)
{
	(void)search;
	return over(data);
}

/* ---- runs under one order of the pieces */

int repair_search(struct vtb_runner *runner, const char *strategy, const struct vtb_core_repair_opts *how,
                  uint64_t budget, const struct vtb_search_calls *calls, struct vtb_error *err)
{
	struct vtb_search_opts opts;
	struct vtb_search *search = NULL;
	int r;

	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.c = how->c;
	opts.v = how->v;
	opts.t = opts.l = VTB_UNBOUNDED;
	opts.seed = how->seed;
	opts.budget = budget;
	opts.tell_all = true; /* of a run that is told by its class nobody can say whether it keeps the repair */
	r = vtb_strategies_begin(runner, &opts, &search, err);
	if (r >= 0)
		r = vtb_search_run(search, calls, err);
	vtb_search_free(search);
	return r < 0 ? r : 0;
}

static int search_order(struct trial *t, uint64_t budget, struct vtb_error *err)
{
	const struct vtb_search_calls calls = {
		.failing = on_failing, .executed = on_executed, .progress = on_progress, .data = t
	};

	return repair_search(&t->runner.base, "dfs", t->opts, budget, &calls, err);
}

static int run_random(struct trial *t, struct vtb_error *err)
{
	int r = 0;

	for (unsigned i = 0; i < RANDOM && r >= 0 && !over(t); i++) {
		const struct vtb_schedule s = { .policy = VTB_SCHEDULE_RANDOM, .seed = vtb_rng_next(&t->rng) },
		                          *one = &s;
		struct vtb_exec x = { 0 };

		r = vtb_runner_run(&t->runner.base, &one, 1, &x, err);
		if (r >= 0)
			judge(t, &x);
		vtb_exec_fini(&x);
	}
	return r;
}

static int constrain_flip(struct vtb_schedule *s, const struct repair_flip *f)
{
	return vtb_schedule_constrain(s, f->end ? core_end_of(f->sooner.thread) : core_op_by_place(waited_for(f)),
	                              core_op_by_place(&f->from));
}

/* Whoever does not come to the end of its piece has no need of it once it has ended. */
static int constrain(struct trial *t, const uint32_t *order)
{
	const struct repair *r = t->repair;
	struct vtb_schedule *s = &t->runner.constraints;
	int status = 0;

	vtb_schedule_fini(s);
	*s = (struct vtb_schedule){ .wakes_all = r->wakes_all };
	for (size_t i = 0; i < r->n_flips && status >= 0; i++)
		status = constrain_flip(s, &r->flips[i]);
	for (size_t i = 1; i < r->n_pieces && status >= 0; i++) {
		const struct repair_piece *one = &r->pieces[order[i - 1]], *next = &r->pieces[order[i]];

		if (one->last.thread != next->first.thread)
			status = vtb_schedule_constrain(s, core_op_by_place(&one->last), core_op_by_place(&next->from));
	}
	return status;
}

/* ---- orders of the pieces */

static bool next_order(uint32_t *order, size_t n)
{
	size_t i = n, k = n;

	while (i > 1 && order[i - 2] > order[i - 1])
		i--;
	if (i < 2)
		return false;
	while (order[k - 1] < order[i - 2])
		k--;
	uint32_t swapped = order[i - 2];
	order[i - 2] = order[k - 1];
	order[k - 1] = swapped;
	for (size_t a = i - 1, b = n - 1; a < b; a++, b--) {
		swapped = order[a];
		order[a] = order[b];
		order[b] = swapped;
	}
	return true;
}

static void shuffle(uint32_t *order, size_t n, uint64_t *rng)
{
	for (size_t i = n; i > 1; i--) {
		const size_t k = (size_t)vtb_rng_below(rng, i);
		const uint32_t swapped = order[i - 1];

		order[i - 1] = order[k];
		order[k] = swapped;
	}
}

/* A thread's own pieces come in their order. */
static bool possible(const struct repair *r, const uint32_t *order)
{
	for (size_t i = 0; i < r->n_pieces; i++)
		for (size_t k = i + 1; k < r->n_pieces; k++)
			if (r->pieces[order[i]].first.thread == r->pieces[order[k]].first.thread &&
			    r->pieces[order[i]].first.index > r->pieces[order[k]].first.index)
				return false;
	return true;
}

uint64_t repair_share(const struct vtb_core_repair_opts *opts, uint64_t wanted)
{
	const uint64_t share = opts->budget / SHARES + 1;

	return opts->budget && share < wanted ? share : wanted;
}

static int try_orders(struct trial *t, struct vtb_error *err)
{
	const size_t n = t->repair->n_pieces;
	const bool all = n <= 4;
	uint32_t order[REPAIR_PIECES];
	int r = 0;

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (unsigned i = 0; i < REPAIR_ORDERS && r >= 0 && !over(t); i++) {
		if (possible(t->repair, order)) {
			r = constrain(t, order);
			if (r >= 0)
				r = search_order(
				    t, repair_share(t->opts, SEARCHED) / (n > 2 ? REPAIR_ORDERS / 4 : 2) + 1, err);
			if (r >= 0)
				r = run_random(t, err);
		}
		if (all && !next_order(order, n))
			break;
		if (!all)
			shuffle(order, n, &t->rng);
	}
	return r;
}

static struct trial trial_of(struct vtb_runner *runner, const struct repair *repair, const struct repair *whole,
                             const struct vtb_core_repair_opts *opts, struct vtb_exec *passing)
{
	*passing = (struct vtb_exec){ 0 };
	return (struct trial){
		.repair = repair,
		.whole = whole,
		.opts = opts,
		.passing = passing,
		.rng = vtb_mix64(opts->seed + 43),
		.runner = { .base = { .ops = &constrained_ops, .tab = runner->tab, .stop = runner->stop },
		            .inner = runner },
	};
}

int repair_try(struct vtb_runner *runner, const struct repair *repair, const struct vtb_core_repair_opts *opts,
               uint64_t *ret_schedules, struct vtb_exec *ret_passing, struct vtb_error *err)
{
	struct trial t = trial_of(runner, repair, repair, opts, ret_passing);
	int r = repair->cut ? 0 : try_orders(&t, err);

	r = r < 0 ? r : t.status;
	vtb_schedule_fini(&t.runner.constraints);
	*ret_schedules = t.passed;
	return r < 0 ? r : t.passed > 0 && t.kept && !t.refuted;
}

int repair_is_in_vain(struct vtb_runner *runner, const struct repair *part, const struct repair *whole,
                      const struct vtb_core_repair_opts *opts, struct vtb_error *err)
{
	struct vtb_exec passing;
	struct trial t = trial_of(runner, part, whole, opts, &passing);
	int r = part->cut ? 0 : try_orders(&t, err);

	r = r < 0 ? r : t.status;
	vtb_schedule_fini(&t.runner.constraints);
	vtb_exec_fini(&passing);
	return r < 0 ? r : t.in_vain;
}
