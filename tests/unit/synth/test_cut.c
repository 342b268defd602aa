/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A search that is cut off claims what it has finished: random programs, every strategy, ended by a budget, by time, by
 * the caller, by an error of the runner, while a run is looked at, or with a run of which the end was not seen. What it
 * then says is taken literally and compared with all schedules that it speaks of.
 */
#include "agree.h"
#include "cases.h"
#include "vtb/exec.h"
#include "vtb/orders.h"
#include "vtb/rng.h"
#include "vtb/stop.h"

#ifndef PROGRAMS
#define PROGRAMS CASES(150u)
#endif
#define MAX_C 2
#define MOST_RUNS 2000u

/* ---- a runner that breaks down, or does not see the end of some runs */

struct troubled {
	struct vtb_runner runner;
	struct vtb_runner *inner;
	uint64_t left;   /* runs until it breaks down */
	uint64_t hidden; /* runs with this outcome take too long: half of them is seen */
};

static int troubled_run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                        struct vtb_exec *execs, struct vtb_error *err)
{
	struct troubled *t = (struct troubled *)runner;
	int r;

	if (t->left < n)
		return -EIO;
	t->left -= n;
	r = vtb_runner_run(t->inner, schedules, n, execs, err);
	for (size_t i = 0; r >= 0 && i < n; i++)
		if (execs[i].outcome.output_hash == t->hidden) {
			execs[i].n_events = execs[i].n_events / 2 + 1;
			execs[i].outcome.verdict = VTB_V_TIMEOUT;
			execs[i].outcome.output_hash = 0;
		}
	return r;
}

static size_t troubled_batch(const struct vtb_runner *runner)
{
	(void)runner;
	return 7;
}

static const struct vtb_runner_ops troubled_ops = {
	.name = "troubled", .run = troubled_run, .batch = troubled_batch, .free = NULL
};

/* ---- one search, cut off */

enum cut { BY_BUDGET, BY_TIME, BY_CALLER, BY_ERROR, BY_STOPPED_RUN, WITHIN_A_RUN, NOT_AT_ALL, CUTS };

struct watch {
	struct found found;
	uint64_t batches;
	uint64_t runs; /* the clock runs out while this one is looked at; 0: it does not */
	struct vtb_stop stop;
};

static void look(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id,
                 bool new_class, void *data)
{
	struct watch *w = data;

	note(search, s, x, class_id, new_class, &w->found);
	if (w->runs && --w->runs == 0)
		w->stop.deadline = 1e-9;
}

static bool enough(struct vtb_search *search, void *data)
{
	struct watch *w = data;

	(void)search;
	return w->batches && --w->batches == 0;
}

static void search_cut(const struct prog *p, struct vtb_search_opts *opts, enum cut cut, uint64_t at, uint64_t hidden,
                       struct watch *w, struct vtb_claim *claim)
{
	const struct vtb_search_calls calls = {
		.failing = vtb_search_go_on, .executed = look, .progress = enough, .data = w
	};
	struct troubled t = { .runner = { .ops = &troubled_ops },
		              .left = cut == BY_ERROR ? at : UINT64_MAX,
		              .hidden = cut == BY_STOPPED_RUN ? hidden : 0 };
	struct vtb_search *search;

	memset(w, 0, sizeof(*w));
	t.inner = prog_runner(p);
	t.runner.tab = t.inner->tab;
	opts->budget = cut == BY_BUDGET ? at : 1500;
	opts->seconds = cut == BY_TIME ? 1e-5 * (double)at : 20;
	w->batches = cut == BY_CALLER ? at / 4 + 1 : 0;
	w->runs = cut == WITHIN_A_RUN ? at : 0;
	t.runner.stop = &w->stop;
	assert_int_equal(vtb_strategies_begin(&t.runner, opts, &search, NULL), 0);
	vtb_search_run(search, &calls, NULL);
	vtb_search_claim(search, claim);
	vtb_search_free(search);
	vtb_runner_free(t.inner);
}

/* ---- what a claim on orders speaks of: enumerated here, run one by one */

struct orders {
	const struct prog *p;
	struct vtb_runner *runner;
	uint32_t c, v;
	bool dynamic;
	uint32_t runs;
	struct found found;
};

struct order {
	uint32_t best_first[PROG_THREADS]; /* threads */
	uint32_t ranks[PROG_THREADS + MAX_C + 2];
	struct vtb_deviation stops[MAX_C + 2];
	uint32_t n, n_stops, point, vars[MAX_C + 2], n_vars;
};

static void run_order(struct orders *all, const struct order *o);

/* Who is preempted comes last. */
static void preempt(struct orders *all, const struct order *o, uint32_t thread, uint32_t index, uint32_t point,
                    uint32_t var)
{
	struct order next = *o;
	uint32_t to = 0;
	bool known = false;

	for (uint32_t i = 0; i < o->n_vars; i++)
		known |= o->vars[i] == var;
	if (!known && (o->n_vars == all->v || (all->dynamic && o->n_stops >= all->v)))
		return;
	if (!known)
		next.vars[next.n_vars++] = var;
	for (uint32_t i = 0; i < o->n; i++)
		if (o->best_first[i] != thread)
			next.best_first[to++] = o->best_first[i];
	next.best_first[to] = thread;
	next.ranks[o->n + o->n_stops] = o->n_stops | VTB_RANK_FRAGMENT_BIT;
	next.stops[next.n_stops++] =
	    (struct vtb_deviation){ .after = { .thread = thread, .index = index, .name = { .site = VTB_NONE } },
		                    .kind = VTB_DEV_DEMOTE,
		                    .var = var,
		                    .cost = 1 };
	next.point = point;
	run_order(all, &next);
}

/* Would another thread go on, that could have before, if this one came last? */
static bool costs(const struct vtb_exec *x, const struct order *o, uint32_t before, uint32_t point)
{
	for (uint32_t i = 0; i < o->n; i++)
		if (o->best_first[i] != x->events[point].thread && vtb_exec_enabled(x, point, o->best_first[i]))
			return vtb_exec_enabled(x, before, o->best_first[i]);
	return false;
}

static void run_order(struct orders *all, const struct order *o)
{
	struct order copy = *o;
	struct vtb_schedule s = { .policy = VTB_SCHEDULE_PRIORITY,
		                  .ranks = copy.ranks,
		                  .n_ranks = o->n + o->n_stops,
		                  .deviations = copy.stops,
		                  .n_deviations = o->n_stops };
	const struct vtb_schedule *schedule = &s;
	uint32_t done[PROG_THREADS] = { 0 }, before = VTB_NONE;
	struct vtb_exec x = { 0 };

	assert_int_equal(vtb_runner_run(all->runner, &schedule, 1, &x, NULL), 0);
	all->runs++;
	note(NULL, schedule, &x, 0, false, &all->found);
	for (uint32_t i = 0; i < x.n_events && o->n_stops < all->c && all->runs < MOST_RUNS; i++) {
		const struct vtb_event *e = &x.events[i];

		if (e->kind == VTB_E_LOST || e->kind == VTB_E_FAIL)
			continue;
		if (before != VTB_NONE && i > o->point && x.events[before].thread == e->thread &&
		    costs(&x, o, before, i))
			preempt(all, o, e->thread, done[e->thread], i, x.events[before].var);
		done[e->thread]++;
		before = i;
	}
	vtb_exec_fini(&x);
}

/* "N threads ran in two opposite priority orders, each with every choice of c < X preemptions after which who is
 * preempted comes last, at v <= ..." */
static bool all_of_these_orders(const struct prog *p, unsigned seed, const struct vtb_search_opts *opts,
                                const struct found *found, const struct vtb_claim *claim)
{
	struct orders all = { .p = p, .c = claim->orders_c - 1, .v = claim->orders_v, .dynamic = opts->dynamic };
	const struct order none = { .n = (uint32_t)p->n_threads };

	all.c = all.c < MAX_C ? all.c : MAX_C;
	all.runner = prog_runner(p);
	for (uint32_t opposite = 0; opposite < 2; opposite++) {
		struct order o = none;

		vtb_order(o.n, opposite, true, opts->seed, o.best_first);
		memcpy(o.ranks, o.best_first, sizeof(o.best_first));
		run_order(&all, &o);
	}
	vtb_runner_free(all.runner);
	for (int i = 0; i < all.found.n && all.runs < MOST_RUNS; i++)
		check(has(found, all.found.outcomes[i]), p, seed, "orders: every schedule that the claim speaks of");
	return all.runs < MOST_RUNS;
}

/* ---- and one on levels */

static bool below(const struct brute_outcome *o, uint32_t c, uint32_t v)
{
	return o->c < (int)c || (o->c == (int)c && o->v < (int)v);
}

static void all_of_these_levels(const struct prog *p, unsigned seed, const struct vtb_search_opts *opts,
                                const struct brute *b, const struct found *f, const struct vtb_claim *claim)
{
	const bool only_failing = !strcmp(opts->strategy, "portfolio");
	const bool levels =
	    claim->least && (!strcmp(opts->strategy, "dfs") || !strcmp(opts->strategy, "bestfirst") ||
	                     !strcmp(opts->strategy, "dpor") || !strcmp(opts->strategy, "exitblock") || only_failing);

	for (int i = 0; i < b->n_outcomes; i++) {
		const struct brute_outcome *o = &b->outcomes[i];
		const bool spoken_of = (claim->complete && o->c <= (int)opts->c && o->v <= (int)opts->v) ||
		                       (claim->enumerates && below(o, claim->c, claim->v)) || (levels && o->c == 0);

		if (spoken_of)
			check(has(f, o->id) || (only_failing && vtb_verdict_exit_code(o->verdict) != 1 && o->c), p,
			      seed, "levels: every outcome that the claim speaks of");
	}
}

/* The orders of one of portfolio's members are told, and checked above. */
static void without_the_least_nothing_is_claimed(const struct prog *p, unsigned seed, const char *strategy,
                                                 const struct vtb_claim *claim)
{
	const bool orders = !strcmp(strategy, "portfolio") && claim->orders_c;

	if (claim->least)
		return;
	check(!claim->complete && !claim->unbounded && !claim->c && !claim->v && (orders || !claim->orders_c), p, seed,
	      "without the least nothing is claimed");
	check(!strstr(claim->text, "every schedule") && (orders || !strstr(claim->text, "opposite priority orders")), p,
	      seed, "nor said");
}

/* ---- programs */

static uint32_t draw(uint64_t *random, uint32_t n)
{
	return (uint32_t)vtb_rng_below(random, n);
}

static struct vtb_search_opts options(const char *strategy, uint64_t *random)
{
	struct vtb_search_opts opts;

	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.c = 1 + draw(random, MAX_C);
	opts.v = 1 + draw(random, 2);
	opts.t = 2 + draw(random, 2);
	opts.dynamic = draw(random, 4) == 0;
	opts.seed = draw(random, 100);
	return opts;
}

static void what_is_claimed_was_done(void **state)
{
	static struct brute b;
	static struct watch w;
	uint64_t random = 77;
	unsigned by_orders = 0, by_levels = 0, nothing = 0, programs = 0;

	(void)state;
	for (unsigned seed = 70000; seed < 70000 + PROGRAMS; seed++) {
		const char *name;
		struct prog p;

		if (seed % 2)
			prog_random(&p, seed, 3 + (int)(seed / 2 % 2), seed / 2 % 2 ? 3 : 4);
		else
			prog_random_chances(&p, seed, 3, 5);
		brute_force(&p, MAX_C, MOST_RUNS, &b);
		if (b.cut)
			continue;
		programs++;
		for (size_t k = 0; (name = vtb_strategy_name(k, NULL)); k++) {
			struct vtb_search_opts opts = options(name, &random);
			const enum cut cut = (enum cut)draw(&random, CUTS);
			struct vtb_claim claim;

			search_cut(&p, &opts, cut, 1 + draw(&random, draw(&random, 2) ? 60 : 8),
			           b.outcomes[draw(&random, (uint32_t)b.n_outcomes)].id, &w, &claim);
			all_of_these_levels(&p, seed, &opts, &b, &w.found, &claim);
			without_the_least_nothing_is_claimed(&p, seed, name, &claim);
			if (claim.orders_c && !claim.symmetric && !claim.complete)
				by_orders += all_of_these_orders(&p, seed, &opts, &w.found, &claim);
			by_levels += claim.enumerates && claim.c > 0;
			nothing += !claim.least;
		}
	}
	print_message("%u programs; claims: %u of orders, %u of levels, %u of nothing\n", programs, by_orders,
	              by_levels, nothing);
	assert_true(programs * 4 >= PROGRAMS * 3 && by_orders > programs / 4 && by_levels > programs / 2 &&
	            nothing > programs);
}

/* By default: orders that one of its members has run are no level. */
static void the_default_shows_nothing_before_all_without_preemptions_ran(void **state)
{
	static struct brute b;
	static struct watch w;
	unsigned early = 0, shown = 0;

	(void)state;
	for (unsigned seed = 71000; seed < 71000 + PROGRAMS; seed++) {
		struct prog p;

		prog_random(&p, seed, 4, 4);
		brute_force(&p, 0, MOST_RUNS, &b);
		for (uint64_t budget = 3; !b.cut && budget < 200; budget += budget) {
			struct vtb_search_opts opts;
			struct vtb_claim claim;

			vtb_search_opts_init(&opts);
			search_cut(&p, &opts, BY_BUDGET, budget, 0, &w, &claim);
			early += !claim.least && claim.orders_c;
			shown += claim.least;
			for (int i = 0; claim.least && i < b.n_outcomes; i++)
				check(has(&w.found, b.outcomes[i].id), &p, seed, "shown: every outcome with c = 0");
		}
	}
	print_message("%u searches were cut with orders only, %u with every schedule without preemptions\n", early,
	              shown);
	assert_true(early > PROGRAMS && shown > PROGRAMS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_claimed_was_done),
		cmocka_unit_test(the_default_shows_nothing_before_all_without_preemptions_ran),
	};

	return cmocka_run_group_tests_name("cut", tests, NULL, NULL);
}
