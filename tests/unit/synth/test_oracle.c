/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The strategies against brute force, on hundreds of random small programs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "prog.h"
#include "vtb/strategies.h"
#include "vtb/wire.h"

struct found {
	struct brute_outcome outcomes[BRUTE_OUTCOMES];
	int n;
	struct vtb_tuple last;
	bool in_order; /* (c, v) never fell: the first run that shows an outcome has its lowest tuple */
	bool diverged;
	uint64_t runs_at[BRUTE_C];
};

static void note(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id,
                 bool new_class, void *data)
{
	struct found *f = data;
	const struct vtb_tuple t = vtb_exec_tuple(x);
	int i;

	(void)search;
	(void)s;
	(void)class_id;
	(void)new_class;
	f->in_order &= t.c > f->last.c || (t.c == f->last.c && t.v >= f->last.v);
	f->last = t;
	f->diverged |= (x->outcome.flags & VTB_OUT_DIVERGED) != 0;
	if (t.c < BRUTE_C)
		f->runs_at[t.c]++;
	for (i = 0; i < f->n; i++)
		if (f->outcomes[i].id == x->outcome.output_hash)
			break;
	if (i == f->n)
		f->outcomes[f->n++] =
		    (struct brute_outcome){ x->outcome.output_hash, x->outcome.verdict, (int)t.c, (int)t.v };
	if ((int)t.c < f->outcomes[i].c || ((int)t.c == f->outcomes[i].c && (int)t.v < f->outcomes[i].v)) {
		f->outcomes[i].c = (int)t.c;
		f->outcomes[i].v = (int)t.v;
	}
}

static int search_program(const struct prog *p, const struct vtb_search_opts *opts, struct found *f,
                          struct vtb_search_stats *ret_stats, struct vtb_claim *ret_claim)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = note, .data = f };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search *search;
	struct vtb_error err;
	int r;

	*f = (struct found){ .in_order = true };
	assert_int_equal(vtb_strategies_begin(runner, opts, &search, &err), 0);
	r = vtb_search_run(search, &calls, &err);
	*ret_stats = *vtb_search_stats(search);
	vtb_search_claim(search, ret_claim);
	vtb_search_free(search);
	vtb_runner_free(runner);
	return r;
}

static const struct brute_outcome *find(const struct brute_outcome *outcomes, int n, uint64_t id)
{
	for (int i = 0; i < n; i++)
		if (outcomes[i].id == id)
			return &outcomes[i];
	return NULL;
}

/* Same outcomes up to `max_c`, each with the same lowest (c, v). The portfolio may stop when it is clear that nothing
 * fails. */
static bool agree(const struct brute *b, const struct found *f, int max_c, bool failures_only)
{
	int n = 0;

	for (int i = 0; i < b->n_outcomes; i++) {
		const struct brute_outcome *o = &b->outcomes[i], *mine = find(f->outcomes, f->n, o->id);

		if (o->c > max_c || (failures_only && o->verdict == VTB_V_NONE))
			continue;
		n++;
		if (!mine || mine->c != o->c || mine->v != o->v) {
			fprintf(stderr, "outcome %016llx: brute force (%d,%d), search %s (%d,%d)\n",
			        (unsigned long long)o->id, o->c, o->v, mine ? "has" : "lacks it", mine ? mine->c : -1,
			        mine ? mine->v : -1);
			return false;
		}
	}
	return f->n >= n;
}

static void check(bool ok, const struct prog *p, unsigned seed, const char *what)
{
	if (ok)
		return;
	prog_print(p);
	fail_msg("program %u: %s", seed, what);
}

static struct vtb_search_opts options(const char *strategy, uint32_t c, uint32_t v)
{
	struct vtb_search_opts opts;

	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.c = c;
	opts.v = v;
	opts.t = PROG_THREADS;
	opts.seed = 1;
	return opts;
}

/* ---- dfs, which runs every interleaving, and levels, which may leave some out */

static void check_runs(const struct prog *p, unsigned seed, const struct brute *b, const struct found *f)
{
	for (int c = 0; c < BRUTE_C; c++) {
		uint64_t sum = 0;

		for (size_t v = 0; v < sizeof(b->runs_at[c]) / sizeof(b->runs_at[c][0]); v++)
			sum += b->runs_at[c][v];
		check(sum == f->runs_at[c], p, seed, "as many runs with each c as there are");
	}
}

static uint64_t check_unbounded(const char *strategy, const struct prog *p, unsigned seed, const struct brute *b)
{
	struct vtb_search_opts opts = options(strategy, BRUTE_C - 1, BRUTE_C - 1);
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct found f;

	check(search_program(p, &opts, &f, &stats, &claim) == VTB_SEARCH_EXHAUSTED, p, seed,
	      "it ends when nothing is left");
	if (strcmp(strategy, "dfs") == 0) {
		check(stats.schedules == b->runs, p, seed, "dfs runs every interleaving once");
		check_runs(p, seed, b, &f);
	}
	check(stats.schedules <= b->runs, p, seed, "no interleaving is run twice");
	check(agree(b, &f, BRUTE_C, false), p, seed, "it finds every outcome at its lowest tuple");
	check(f.n == b->n_outcomes, p, seed, "and no other");
	check(f.in_order && !f.diverged, p, seed, "levels in order, schedules followed");
	check(claim.complete && claim.unbounded, p, seed, "it says that it is complete");
	return stats.schedules;
}

static void check_within(const char *strategy, const struct prog *p, unsigned seed, const struct brute *b, uint32_t c,
                         uint32_t v)
{
	const bool all = strcmp(strategy, "dfs") == 0;
	struct vtb_search_opts opts = options(strategy, c, v);
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct found f;
	uint64_t within = 0;

	for (uint32_t i = 0; i <= c; i++)
		for (uint32_t j = 0; j <= v; j++)
			within += b->runs_at[i][j];
	check(search_program(p, &opts, &f, &stats, &claim) == VTB_SEARCH_EXHAUSTED, p, seed, "it ends at its bound");
	check(all ? stats.schedules == within : stats.schedules <= within, p, seed,
	      "as many runs as there are within (c, v)");
	check(claim.complete, p, seed, "complete within the bound");
	check(!all || claim.unbounded == (within == b->runs), p, seed, "unbounded only if the bound left nothing out");
	check(!claim.unbounded || f.n == b->n_outcomes, p, seed, "then all outcomes are there");
	for (int i = 0; i < b->n_outcomes; i++)
		if (b->outcomes[i].c <= (int)c && b->outcomes[i].v <= (int)v)
			check(find(f.outcomes, f.n, b->outcomes[i].id) != NULL, p, seed,
			      "every outcome within the bound");
}

static void dfs_and_levels_agree_with_brute_force_on_random_programs(void **state)
{
	static struct brute b;
	uint64_t runs[2] = { 0 };
	unsigned compared = 0;

	(void)state;
	for (unsigned seed = 0; seed < CASES(400); seed++) {
		struct prog p;

		prog_random(&p, seed, seed % 4 == 3 ? 4 : 3, seed % 4 == 3 ? 2 : 4);
		brute_force(&p, BRUTE_C, 30000, &b);
		if (b.cut)
			continue;
		compared++;
		for (int k = 0; k < 2; k++) {
			const char *const strategy = k ? "levels" : "dfs";

			runs[k] += check_unbounded(strategy, &p, seed, &b);
			check_within(strategy, &p, seed, &b, 1, 1);
			check_within(strategy, &p, seed, &b, 2, 1);
			check_within(strategy, &p, seed, &b, 0, 0);
		}
	}
	print_message("%u programs compared, %llu runs by dfs, %llu by levels\n", compared, (unsigned long long)runs[0],
	              (unsigned long long)runs[1]);
	assert_true(2 * runs[1] < runs[0]);
	assert_true(compared >= CASES(200));
}

/* ---- levels, where a run shows that classes do not tell states */

#define FEW 7u /* runs, before the first that shows it */

static const struct vtb_runner_ops *plain;

static int run_and_show(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                        struct vtb_exec *execs, struct vtb_error *err)
{
	const uint64_t before = runner->schedules;
	const int r = plain->run(runner, schedules, n, execs, err);

	for (size_t i = 0; r >= 0 && i < n; i++)
		if (before + i >= FEW)
			execs[i].outcome.flags |= VTB_OUT_ARRIVED;
	return r;
}

static void levels_makes_up_for_what_it_has_put_aside(void **state)
{
	static struct brute b;
	unsigned compared = 0;

	(void)state;
	for (unsigned seed = 0; seed < CASES(40); seed++) {
		struct vtb_search_opts opts = options("levels", BRUTE_C - 1, BRUTE_C - 1);
		const struct vtb_search_calls calls = { .failing = vtb_search_go_on };
		struct vtb_runner_ops shows;
		struct vtb_runner *runner;
		struct vtb_search *search;
		struct prog p;

		prog_random(&p, seed, 3, 4);
		brute_force(&p, BRUTE_C, 30000, &b);
		if (b.cut || b.runs <= FEW)
			continue;
		compared++;
		runner = prog_runner(&p);
		plain = runner->ops;
		shows = *plain;
		shows.run = run_and_show;
		runner->ops = &shows;
		assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
		check(vtb_search_run(search, &calls, NULL) == VTB_SEARCH_EXHAUSTED, &p, seed, "it ends");
		check(vtb_search_stats(search)->schedules == b.runs, &p, seed, "every interleaving is run once");
		vtb_search_free(search);
		runner->ops = plain;
		vtb_runner_free(runner);
	}
	print_message("%u programs compared\n", compared);
	assert_true(compared > 0);
}

/* ---- cvt and portfolio: the outcomes within c */

static void check_bounded(const char *strategy, const struct prog *p, unsigned seed, const struct brute *b, int c)
{
	struct vtb_search_opts opts = options(strategy, (uint32_t)c, (uint32_t)c);
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct found f;

	search_program(p, &opts, &f, &stats, &claim);
	check(agree(b, &f, c, strcmp(strategy, "portfolio") == 0), p, seed, strategy);
	if (strcmp(strategy, "portfolio") == 0)
		check(claim.complete, p, seed,
		      "the portfolio ends when dfs has everything within the bound or dpor every class");
	check(!f.diverged, p, seed, "schedules are followed");
	for (int i = 0; i < f.n; i++)
		check(find(b->outcomes, b->n_outcomes, f.outcomes[i].id) != NULL, p, seed, "only outcomes that exist");
}

static void cvt_reaches_every_outcome_at_its_lowest_tuple(void **state)
{
	static struct brute b;
	unsigned compared = 0;

	(void)state;
	for (unsigned seed = 1000; seed < 1000 + CASES(300); seed++) {
		struct prog p;

		prog_random(&p, seed, 3, 4);
		brute_force(&p, 2, 30000, &b);
		if (b.cut)
			continue;
		compared++;
		check_bounded("cvt", &p, seed, &b, 2);
	}
	print_message("%u programs compared\n", compared);
	assert_true(compared >= CASES(200));
}

static void cvt_agrees_on_three_workers(void **state)
{
	static struct brute b;
	unsigned compared = 0;

	(void)state;
	for (unsigned seed = 2000; seed < 2000 + CASES(60); seed++) {
		struct prog p;

		prog_random(&p, seed, 4, 2);
		brute_force(&p, 1, 100000, &b);
		if (b.cut)
			continue;
		compared++;
		check_bounded("cvt", &p, seed, &b, 1);
	}
	print_message("%u programs compared\n", compared);
	assert_true(compared >= CASES(40));
}

static void the_portfolio_agrees_and_says_when_it_is_complete(void **state)
{
	static struct brute b;

	(void)state;
	for (unsigned seed = 3000; seed < 3000 + CASES(100); seed++) {
		struct prog p;

		prog_random(&p, seed, 3, 3);
		brute_force(&p, 2, 30000, &b);
		if (!b.cut)
			check_bounded("portfolio", &p, seed, &b, 2);
	}
}

/* ---- dpor: every outcome, in fewer runs */

static void dpor_reaches_every_outcome_in_fewer_runs(void **state)
{
	static struct brute b;
	uint64_t all = 0, reduced = 0;

	(void)state;
	for (unsigned seed = 4000; seed < 4000 + CASES(500); seed++) {
		struct vtb_search_opts opts = options("dpor", 2, 2);
		struct vtb_search_stats stats;
		struct vtb_claim claim;
		struct found f;
		struct prog p;

		prog_random(&p, seed, seed % 4 == 3 ? 4 : 3, seed % 4 == 3 ? 2 : 4);
		brute_force(&p, BRUTE_C, 30000, &b);
		if (b.cut)
			continue;
		check(search_program(&p, &opts, &f, &stats, &claim) == VTB_SEARCH_EXHAUSTED, &p, seed, "dpor ends");
		for (int i = 0; i < b.n_outcomes; i++)
			check(find(f.outcomes, f.n, b.outcomes[i].id) != NULL, &p, seed, "dpor finds every outcome");
		check(f.n == b.n_outcomes, &p, seed, "and no other");
		check(claim.complete && claim.unbounded, &p, seed, "dpor says that it is complete");
		check(!f.diverged, &p, seed, "schedules are followed");
		all += b.runs;
		reduced += stats.schedules;
	}
	print_message("%llu interleavings, %llu runs\n", (unsigned long long)all, (unsigned long long)reduced);
	assert_true(reduced * 20 < all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dfs_and_levels_agree_with_brute_force_on_random_programs),
		cmocka_unit_test(levels_makes_up_for_what_it_has_put_aside),
		cmocka_unit_test(cvt_reaches_every_outcome_at_its_lowest_tuple),
		cmocka_unit_test(cvt_agrees_on_three_workers),
		cmocka_unit_test(dpor_reaches_every_outcome_in_fewer_runs),
		cmocka_unit_test(the_portfolio_agrees_and_says_when_it_is_complete),
	};

	return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
