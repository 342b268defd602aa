/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search of a long trace: two opposite orders of the threads, and each of them with one preemption: what the
 * strategy cvt does first.
 *
 * A run of an order is made once. Then the origin (simulate_at.h) is moved along it, and for each preemption only the
 * stretch after it is simulated, STRETCH operations of each thread from the origin on. The origin stands at every
 * GRID-th event, so preemptions near each other begin at the same one, and equal classes are met as such: from one
 * origin, equal classes of the stretch are equal classes of the whole. Those of different origins are not compared.
 *
 * What comes after the stretch is not looked at: neither does it count for the rank, nor can a deadlock there be told.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "simulate_at.h"
#include "synth_priv.h"
#include "vtb/bounded_text.h"
#include "vtb/mazurkiewicz.h"
#include "vtb/orders.h"
#include "vtb/rng.h"

#define STRETCH 8192u
#define GRID 2048u
#define ORDERS 2u

struct long_run {
	struct synthesis *y;
	struct vtb_coverage coverage;
	struct vtb_space space;
	struct long_points points;
	uint16_t *threads[ORDERS]; /* whose each event of the order's run is */
	size_t n_events[ORDERS];
	struct vtb_mazurkiewicz *classes;
	struct vtb_exec x; /* the run at hand */
	uint32_t origin;   /* event before which it begins */
	bool stands;       /* runs have begun at the origin */
	uint64_t runs, tried;
	bool late;
};

static void fini(struct long_run *l)
{
	vtb_simulate_at_end(l->y->runner);
	l->y->reference.passed = NULL;
	vtb_coverage_fini(&l->coverage);
	long_points_fini(&l->points);
	for (uint32_t o = 0; o < ORDERS; o++)
		free(l->threads[o]);
	vtb_mazurkiewicz_free(l->classes);
	vtb_exec_fini(&l->x);
}

/* ---- schedules */

static int order_of(const struct long_run *l, uint32_t order, struct vtb_schedule *ret)
{
	const uint32_t n = l->coverage.n_threads;

	*ret = (struct vtb_schedule){ .policy = VTB_SCHEDULE_PRIORITY };
	ret->ranks = calloc((size_t)n + 1, sizeof(*ret->ranks)); /* one more: for whom a preemption puts last */
	if (!ret->ranks)
		return -ENOMEM;
	ret->cap_ranks = n + 1;
	ret->n_ranks = n;
	vtb_order(n, order, false, l->y->opts.search.seed, ret->ranks);
	return 0;
}

/* The order, and one preemption after operation `index`. */
static int preempted(const struct long_run *l, const struct long_point *p, uint32_t index, struct vtb_schedule *ret)
{
	int r = order_of(l, p->order, ret);

	if (r < 0)
		return r;
	ret->ranks[ret->n_ranks++] = VTB_RANK_FRAGMENT_BIT;
	ret->tuple = (struct vtb_tuple){ .l = p->l, .c = 1, .v = 1 };
	return vtb_schedule_deviate(ret, p->thread, index, VTB_DEV_DEMOTE, 0, p->var, 1);
}

static int run(struct long_run *l, const struct vtb_schedule *s, struct vtb_error *err)
{
	l->runs++;
	return vtb_runner_run(l->y->runner, &s, 1, &l->x, err);
}

/* Is the class of the run at hand new? 1 or 0, or -ENOMEM. `from` tells apart runs that do not begin with the same
 * events. */
static int is_new(struct long_run *l, uint64_t from)
{
	uint64_t *met;
	int r = 0;

	vtb_mazurkiewicz_begin(l->classes);
	for (size_t i = 0; r >= 0 && i < l->x.n_events; i++)
		if (l->x.events[i].kind != VTB_E_FAIL)
			r = vtb_mazurkiewicz_feed(l->classes, &l->x.events[i], NULL);
	if (r >= 0)
		r = vtb_bounded_map_add(
		    &l->y->classes,
		    vtb_class_id(vtb_mazurkiewicz_fingerprint(l->classes)) ^ (from ? vtb_mix64(from) : 0), 0, &met);
	return r < 0 ? r : !met;
}

/* ---- the two orders */

static int remember_threads(struct long_run *l, uint32_t order)
{
	const size_t n = l->x.n_events;

	l->threads[order] = calloc(n + 1, sizeof(*l->threads[order]));
	if (!l->threads[order])
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		l->threads[order][i] = l->x.events[i].thread;
	l->n_events[order] = n;
	return 0;
}

static int run_order(struct long_run *l, uint32_t order, struct vtb_error *err)
{
	const struct vtb_search_opts *opts = &l->y->opts.search;
	struct vtb_schedule s;
	int r = order_of(l, order, &s);

	if (r >= 0)
		r = run(l, &s, err);
	if (r >= 0)
		r = is_new(l, 0);
	if (r > 0)
		r = synth_add(l->y, &s, &l->x, false, 0);
	if (r >= 0)
		r = remember_threads(l, order);
	if (r >= 0 && opts->c && opts->v)
		r = long_points_add(&l->points, &l->space, &l->x, vtb_foresight_of(l->y->foresight, &l->x),
		                    (uint8_t)order);
	vtb_schedule_fini(&s);
	return r;
}

/* ---- what a preemption leads to */

static int add(struct long_run *l, const struct long_point *p, const struct vtb_schedule *in_stretch)
{
	struct vtb_candidate c = { .deadlock = l->x.outcome.verdict == VTB_V_DEADLOCK, .number = ORDERS + p->rank };
	struct vtb_reordering reordering;
	int r = preempted(l, p, p->index, &c.schedule);

	if (r >= 0)
		r = vtb_reordering_of(&l->y->reference, &l->x, &reordering);
	if (r >= 0) {
		c.schedule.tuple = vtb_exec_tuple(&l->x);
		c.schedule.tuple.l = p->l;
		c.schedule.tuple.t = reordering.threads < 2 ? 2 : reordering.threads;
		c.score = synth_score(&reordering, c.deadlock);
		r = synth_words(l->y, &c, in_stretch, &l->x, &reordering);
	}
	if (r >= 0)
		return synth_keep(l->y, &c);
	vtb_schedule_fini(&c.schedule);
	free(c.where);
	free(c.why);
	return r;
}

static uint64_t from_of(const struct long_run *l, uint32_t order)
{
	return (uint64_t)l->origin * ORDERS + order + 1;
}

static int try_point(struct long_run *l, const struct long_point *p, struct vtb_error *err)
{
	struct vtb_schedule s;
	int r = preempted(l, p, p->index - vtb_simulate_at_passed(l->y->runner)[p->thread], &s);

	if (r >= 0)
		r = run(l, &s, err);
	if (r >= 0)
		r = is_new(l, from_of(l, p->order));
	if (r > 0)
		r = add(l, p, &s);
	l->tried++;
	vtb_schedule_fini(&s);
	return r;
}

/* A preemption that leaves the order's own class is no candidate. */
static int meet_order(struct long_run *l, uint32_t order, struct vtb_error *err)
{
	struct vtb_schedule s;
	int r = order_of(l, order, &s);

	if (r >= 0)
		r = run(l, &s, err);
	if (r >= 0)
		r = is_new(l, from_of(l, order));
	vtb_schedule_fini(&s);
	return r < 0 ? r : 0;
}

/* Move the origin on to the last multiple of GRID that is not behind `event`. 1: it moved. */
static int move_origin(struct long_run *l, uint32_t order, uint32_t event)
{
	const uint32_t to = event - event % GRID;
	const bool moves = to > l->origin || !l->stands;

	for (; l->origin < to; l->origin++)
		vtb_simulate_at_pass(l->y->runner, l->threads[order][l->origin]);
	l->stands = true;
	return moves;
}

static bool is_late(struct long_run *l)
{
	l->late = l->y->seconds > 0 && synth_seconds_left(l->y) <= 0;
	return l->late;
}

static int try_order(struct long_run *l, uint32_t order, struct vtb_error *err)
{
	int r = vtb_simulate_at_begin(l->y->runner, STRETCH);

	l->origin = 0;
	l->stands = false;
	l->y->reference.passed = vtb_simulate_at_passed(l->y->runner);
	for (size_t i = 0; r >= 0 && i < l->points.n_points && !is_late(l); i++) {
		const struct long_point *p = &l->points.points[i];

		if (p->order != order)
			continue;
		if (move_origin(l, order, p->event))
			r = meet_order(l, order, err);
		if (r >= 0)
			r = try_point(l, p, err);
	}
	vtb_simulate_at_end(l->y->runner);
	l->y->reference.passed = NULL;
	return r;
}

/* ---- all of it */

static void say(const struct long_run *l)
{
	const struct vtb_search_opts *o = &l->y->opts.search;
	struct vtb_synth *ret = l->y->ret;
	struct vtb_bounded_text t = { ret->statement, sizeof(ret->statement), 0 };

	vtb_bounded_text_add(&t,
	                     "The trace is long (%zu events): two opposite orders of its %u threads were simulated, "
	                     "and each with one preemption at %" PRIu64 " of %" PRIu64 " places,\n",
	                     l->y->trace->n_events, l->coverage.n_threads, l->tried, l->points.offered);
	vtb_bounded_text_add(&t,
	                     "of which only a stretch of %u operations of each thread. What comes after that is not in "
	                     "the ranks, and nothing is claimed to be complete.\n",
	                     STRETCH);
	if (o->c > 1)
		vtb_bounded_text_add(
		    &t, "More than one preemption was not tried; --t=3 or --exhaust searches with whole runs.\n");
	if (l->late)
		vtb_bounded_text_add(&t, "Ended early: the time was over.\n");
	vtb_bounded_text_add(&t, "Sequentially consistent interleavings only.\n");
	ret->stats = (struct vtb_search_stats){ .schedules = l->runs, .classes = ret->met };
	ret->claim = (struct vtb_claim){ .dropped = l->points.offered - l->tried };
	ret->end = l->late ? VTB_SEARCH_TIME : l->tried < l->points.offered ? VTB_SEARCH_BUDGET : VTB_SEARCH_EXHAUSTED;
}

/* What is shared, and how often it is touched, the recording tells. */
static int begin(struct long_run *l)
{
	const struct vtb_trace *trace = l->y->trace;
	const struct vtb_exec recorded = { .events = trace->events, .n_events = trace->n_events };
	const uint64_t budget = l->y->opts.search.budget;
	int r = long_points_init(&l->points, budget < UINT32_MAX ? budget : UINT32_MAX);

	l->coverage.tab = &trace->tab;
	l->space = (struct vtb_space){ .opts = &l->y->opts.search, .tab = &trace->tab, .coverage = &l->coverage };
	if (r >= 0)
		r = vtb_coverage_add(&l->coverage, &recorded);
	if (r >= 0)
		r = vtb_mazurkiewicz_new(&trace->tab, &l->classes);
	return r;
}

int long_search(struct synthesis *y, struct vtb_error *err)
{
	struct long_run l = { .y = y };
	int r = begin(&l);

	for (uint32_t o = 0; r >= 0 && o < ORDERS; o++)
		r = run_order(&l, o, err);
	vtb_exec_fini(&l.x); /* the stretches are short */
	if (r >= 0)
		long_points_finish(&l.points);
	for (uint32_t o = 0; r >= 0 && o < ORDERS; o++)
		r = try_order(&l, o, err);
	if (r >= 0)
		say(&l);
	fini(&l);
	return r < 0 ? vtb_error_set(err, r, NULL, 0, "cannot search a long trace: %s", vtb_strerror(r)) : 0;
}
