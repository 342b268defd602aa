/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs that are digested while others of their batch are made: a search comes to the same as when it gets them all at
 * once. Random programs, some of which fail, every strategy; the runner says at random places how far it has come, and
 * now and then goes on with what it is asked for there.
 */
#include "agree.h"
#include "cases.h"
#include "vtb/rng.h"

#define BUDGET 700u
#define BATCH 24u

struct piecemeal {
	struct vtb_runner base;
	struct vtb_runner *inner;
	uint64_t rng;
	bool tells;
	uint64_t grown;  /* runs that it has gone on with */
	uint64_t told;   /* runs that were said to be there before their batch was */
	uint64_t breaks; /* runs until it breaks down; 0: it does not */
	bool running;
};

static int piecemeal_run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                         struct vtb_exec *execs, struct vtb_error *err)
{
	struct piecemeal *p = (struct piecemeal *)runner;
	int r = 0;

	assert_false(p->running); /* who is told may not use it */
	p->running = true;
	for (size_t i = 0; r >= 0 && i < n; i++) {
		if (p->breaks && --p->breaks == 0) {
			runner->done = i;
			p->running = false;
			return -ECANCELED;
		}
		r = vtb_runner_run(p->inner, &schedules[i], 1, &execs[i], err);
		if (p->tells && runner->ready && vtb_rng_below(&p->rng, 3)) {
			runner->ready(runner, i + 1);
			p->told = i + 1 > p->told ? i + 1 : p->told;
			if (runner->asked > n && vtb_rng_below(&p->rng, 2)) {
				p->grown += runner->asked - n;
				runner->made += runner->asked - n;
				n = runner->asked;
			}
		}
	}
	p->running = false;
	return r;
}

static size_t piecemeal_batch(const struct vtb_runner *runner)
{
	(void)runner;
	return BATCH;
}

static const struct vtb_runner_ops piecemeal_ops = {
	.name = "piecemeal", .run = piecemeal_run, .batch = piecemeal_batch, .free = NULL
};

/* ---- searches */

struct came {
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	char statement[2000];
	uint64_t order; /* of all runs: schedules, classes, failures */
	int end;
};

static void mix(struct came *c, uint64_t x)
{
	c->order = vtb_mix64(c->order + x);
}

static void look(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id,
                 bool new_class, void *data)
{
	(void)search;
	mix(data, s->seed + s->n_deviations);
	mix(data, class_id + new_class);
	mix(data, x->n_events + 1000 * (unsigned)x->outcome.verdict);
}

static enum vtb_search_reply failing(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                                     struct vtb_tuple t, void *data)
{
	(void)s;
	(void)x;
	mix(data, vtb_search_stats(search)->schedules + 7 * t.c);
	return vtb_search_stats(search)->failing > 40 ? VTB_SEARCH_STOP : VTB_SEARCH_GO_ON;
}

static uint64_t gone_on; /* runs that runners have gone on with */

static uint64_t search_on(const struct prog *p, const char *strategy, uint64_t seed, bool tells, uint64_t breaks,
                          struct came *ret)
{
	const struct vtb_search_calls calls = { .failing = failing, .executed = look, .data = ret };
	struct piecemeal runner = { .base = { .ops = &piecemeal_ops }, .rng = seed, .tells = tells, .breaks = breaks };
	struct vtb_search_opts opts;
	struct vtb_search *search;

	memset(ret, 0, sizeof(*ret));
	runner.inner = prog_runner(p);
	runner.base.tab = runner.inner->tab;
	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.seed = seed;
	opts.budget = BUDGET;
	assert_int_equal(vtb_strategies_begin(&runner.base, &opts, &search, NULL), 0);
	ret->end = vtb_search_run(search, &calls, NULL);
	ret->stats = *vtb_search_stats(search);
	vtb_search_claim(search, &ret->claim);
	vtb_search_statement(search, ret->statement, sizeof(ret->statement));
	vtb_search_free(search);
	vtb_runner_free(runner.inner);
	gone_on += runner.grown;
	return runner.told;
}

static void same(const struct prog *p, unsigned seed, const char *what, const struct came *a, const struct came *b)
{
	check(a->end == b->end && a->order == b->order, p, seed, what);
	check(!strcmp(a->statement, b->statement), p, seed, what);
	check(a->stats.schedules == b->stats.schedules && a->stats.classes == b->stats.classes &&
	          a->stats.events == b->stats.events && a->stats.failing == b->stats.failing,
	      p, seed, what);
	check(a->claim.complete == b->claim.complete && a->claim.explored == b->claim.explored, p, seed, what);
}

static void make(struct prog *p, uint64_t seed)
{
	if (seed % 3 == 2)
		prog_random_chances(p, seed, 2 + (int)(seed & 1), 4);
	else
		prog_random(p, seed, 2 + (int)(seed & 1), 4);
}

static const char *const strategies[] = { "dpor", "dfs", "cvt", "bestfirst", "random", "pos", "pctvb", "portfolio" };
#define STRATEGIES (sizeof(strategies) / sizeof(*strategies))

static void runs_one_by_one_come_to_the_same(void **state)
{
	static struct came whole, pieces;
	uint64_t told = 0, failing_runs = 0;
	struct prog p;

	(void)state;
	for (unsigned seed = 1; seed <= CASES(40u); seed++) {
		make(&p, seed);
		for (size_t i = 0; i < STRATEGIES; i++) {
			search_on(&p, strategies[i], seed, false, 0, &whole);
			told += search_on(&p, strategies[i], seed, true, 0, &pieces);
			failing_runs += pieces.stats.failing;
			same(&p, seed, strategies[i], &whole, &pieces);
		}
	}
	assert_true(told > 10 * CASES(40u) && failing_runs > CASES(40u) && gone_on > CASES(40u));
}

/* What was digested stays; the rest is not there. */
static void a_batch_that_is_cut_off_counts_as_far_as_it_came(void **state)
{
	static struct came whole, pieces;
	struct prog p;

	(void)state;
	for (unsigned seed = 1; seed <= CASES(40u); seed++) {
		make(&p, seed);
		for (size_t i = 0; i < STRATEGIES; i++) {
			search_on(&p, strategies[i], seed, false, 5 + seed % 50, &whole);
			search_on(&p, strategies[i], seed, true, 5 + seed % 50, &pieces);
			same(&p, seed, strategies[i], &whole, &pieces);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_one_by_one_come_to_the_same),
		cmocka_unit_test(a_batch_that_is_cut_off_counts_as_far_as_it_came),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
