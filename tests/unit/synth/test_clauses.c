/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every strategy, every clause of what it may claim (struct vtb_claim) and count (struct vtb_search_stats), against
 * every way that random programs with locks, trylocks, conditions, deadlines and deadlocks can go. A row of the table
 * below is a strategy with options; a clause holds for all of them. What a strategy must never claim is in the table.
 */
#include "agree.h"
#include "cases.h"
#include "clause_rows.h"
#include "vtb/exec.h"

#define MAX_C 2
#ifndef PROGRAMS
#define PROGRAMS CASES(80u) /* test_clauses_long.c has more */
#endif
#define MOST_RUNS 2000u

static size_t row; /* of the table, for messages */

static void hold(bool ok, const struct prog *p, unsigned seed, const char *what)
{
	if (!ok)
		print_error("row %zu of the table: %s\n", row, variants[row].strategy);
	check(ok, p, seed, what);
}

struct seen {
	struct found found;
	uint64_t runs, failing, ids[1u << 13];
	uint32_t n_ids;
	struct vtb_tuple lowest;
};

static void note_run(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                     uint64_t class_id, bool new_class, void *data)
{
	struct seen *n = data;
	const struct vtb_tuple t = vtb_exec_tuple(x);
	uint32_t i = 0;

	note(search, s, x, class_id, new_class, &n->found);
	n->runs++;
	while (i < n->n_ids && n->ids[i] != class_id)
		i++;
	assert_int_equal(i == n->n_ids, new_class);
	if (i == n->n_ids && i < sizeof(n->ids) / sizeof(*n->ids))
		n->ids[n->n_ids++] = class_id;
	if (vtb_verdict_exit_code(x->outcome.verdict) != 1)
		return;
	if (!n->failing++ || t.c < n->lowest.c || (t.c == n->lowest.c && t.v < n->lowest.v))
		n->lowest = t;
}

static struct vtb_search_opts options(const struct variant *w)
{
	struct vtb_search_opts opts;

	vtb_search_opts_init(&opts);
	opts.strategy = w->strategy;
	opts.c = w->c;
	opts.v = w->v;
	opts.t = PROG_THREADS;
	opts.seed = 7;
	opts.priority = w->priority;
	opts.exhaust = w->exhaust;
	opts.rw = w->rw;
	opts.reads_from = w->reads_from;
	opts.match_states = w->states;
	opts.sure_steps = w->sure;
	opts.budget = w->budget;
	return opts;
}

static void search_variant(const struct prog *p, const struct variant *w, struct seen *n,
                           struct vtb_search_stats *stats, struct vtb_claim *claim)
{
	const struct vtb_search_opts opts = options(w);
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = note_run, .data = n };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search *search;

	memset(n, 0, sizeof(*n));
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	assert_true(vtb_search_run(search, &calls, NULL) >= 0);
	*stats = *vtb_search_stats(search);
	vtb_search_claim(search, claim);
	vtb_search_free(search);
	vtb_runner_free(runner);
}

static bool fails(const struct brute_outcome *o)
{
	return vtb_verdict_exit_code(o->verdict) == 1;
}

/* ---- the clauses */

struct truth {
	struct brute bounded, all; /* within MAX_C; everything */
	bool has_all;
};

static void complete_means_every_outcome(const struct variant *w, const struct prog *p, unsigned seed,
                                         const struct truth *b, const struct seen *n, const struct vtb_claim *claim)
{
	/* The portfolio may stop where dpor has shown that nothing fails; values that nobody reads do not tell classes
	 * of reads-from apart. */
	const bool only_failing = !strcmp(w->strategy, "portfolio") || w->reads_from;

	hold(!claim->unbounded || claim->complete, p, seed, "unbounded: complete");
	for (int i = 0; claim->complete && i < b->bounded.n_outcomes; i++)
		if (b->bounded.outcomes[i].c <= (int)(w->c < MAX_C ? w->c : MAX_C) &&
		    (uint32_t)b->bounded.outcomes[i].v <= w->v)
			hold(has(&n->found, b->bounded.outcomes[i].id) ||
			         (only_failing && !fails(&b->bounded.outcomes[i])),
			     p, seed, "complete: every outcome within the bound");
	for (int i = 0; claim->unbounded && b->has_all && i < b->all.n_outcomes; i++)
		hold(has(&n->found, b->all.outcomes[i].id) || (only_failing && !fails(&b->all.outcomes[i])), p, seed,
		     "unbounded: every outcome");
}

static void levels_mean_every_outcome_below(const struct prog *p, unsigned seed, const struct truth *b,
                                            const struct seen *n, const struct vtb_claim *claim, bool only_failing)
{
	for (int i = 0; claim->enumerates && !claim->by_states && i < b->bounded.n_outcomes; i++) {
		const struct brute_outcome *o = &b->bounded.outcomes[i];

		if (o->c < (int)claim->c || (o->c == (int)claim->c && o->v < (int)claim->v))
			hold(has(&n->found, o->id) || (only_failing && !fails(o)), p, seed,
			     "every outcome below the level it says");
	}
}

/* "... ran in two opposite priority orders": by all means the outcomes of one order, and of its reverse. */
static void both_orders_were_run(const struct prog *p, unsigned seed, const struct seen *n,
                                 const struct vtb_claim *claim)
{
	struct vtb_runner *runner = strstr(claim->text, "two opposite priority orders") ? prog_runner(p) : NULL;

	for (uint32_t way = 0; runner && way < 2; way++) {
		uint32_t ranks[PROG_THREADS];
		const struct vtb_schedule order = { .policy = VTB_SCHEDULE_PRIORITY,
			                            .ranks = ranks,
			                            .n_ranks = (size_t)p->n_threads },
		                          *one = &order;
		struct vtb_exec x = { 0 };

		for (uint32_t k = 0, all = (uint32_t)p->n_threads; k < all; k++) /* main, then later children first */
			ranks[way ? all - 1 - k : k] = k ? all - k : 0;
		assert_int_equal(vtb_runner_run(runner, &one, 1, &x, NULL), 0);
		hold(has(&n->found, x.outcome.output_hash), p, seed, "both orders: their outcomes");
		vtb_exec_fini(&x);
	}
	vtb_runner_free(runner);
}

static void the_lowest_is_the_lowest(const struct prog *p, unsigned seed, const struct truth *b, const struct seen *n,
                                     const struct vtb_search_stats *stats)
{
	if (!stats->failing || !stats->lower_levels_complete)
		return;
	hold(stats->lowest.c == n->lowest.c && stats->lowest.v == n->lowest.v, p, seed, "the lowest of those seen");
	for (int i = 0; i < b->bounded.n_outcomes; i++)
		if (fails(&b->bounded.outcomes[i]))
			hold(b->bounded.outcomes[i].c > (int)stats->lowest.c ||
			         (b->bounded.outcomes[i].c == (int)stats->lowest.c &&
			          b->bounded.outcomes[i].v >= (int)stats->lowest.v),
			     p, seed, "no failure lies lower than the one said to be the lowest");
}

/* "... so there is no other behaviour": true of the whole program, but for what was possible and not explored. */
static bool blocks_mean_every_outcome(const struct variant *w, const struct prog *p, unsigned seed,
                                      const struct truth *b, const struct seen *n, const struct vtb_claim *claim)
{
	const bool said = strstr(claim->text, "there is no other behaviour") != NULL,
	           cut = strstr(claim->text, "when the process ends") != NULL;

	hold(!said || w->claims & CLAIMS_BLOCKS, p, seed, "a sentence on blocks");
	for (int i = 0; said && !claim->unexplored && b->has_all && i < b->all.n_outcomes; i++)
		hold(has(&n->found, b->all.outcomes[i].id) || (w->rw && b->all.outcomes[i].verdict == VTB_V_DEADLOCK) ||
		         (cut && !fails(&b->all.outcomes[i])),
		     p, seed, "blocks under common locks: every outcome");
	return said && !claim->unexplored;
}

static void nothing_else_is_claimed(const struct variant *w, const struct prog *p, unsigned seed,
                                    const struct vtb_claim *claim)
{
	if (!(w->claims & CLAIMS_BOUND))
		hold(!claim->complete && !claim->unbounded, p, seed, "it does not say complete");
	if (!(w->claims & CLAIMS_LEVELS))
		hold(!claim->enumerates && !claim->c && !claim->v && !claim->by_states, p, seed,
		     "it does not speak of levels");
	if (!(w->claims & CLAIMS_CHANCE))
		hold(claim->probability == 0, p, seed, "it does not speak of chances");
	if (!(w->claims & CLAIMS_ORDERS))
		hold(!claim->orders_c && !claim->symmetric, p, seed, "it does not speak of orders");
	hold(claim->probability >= 0 && claim->probability <= 1, p, seed, "a probability");
	hold(claim->text[0] != '\0', p, seed, "a sentence");
}

static void the_figures_are_true(const struct prog *p, unsigned seed, const struct truth *b, const struct seen *n,
                                 const struct vtb_search_stats *stats, const struct vtb_claim *claim)
{
	hold(stats->schedules == n->runs && stats->failing == n->failing, p, seed,
	     "as many schedules and failing runs as there were");
	hold(stats->classes == n->n_ids, p, seed, "as many classes as there were");
	hold(claim->blocked <= stats->schedules, p, seed, "blocked runs are runs");
	hold(!(claim->explored & claim->unexplored) && !(claim->complete && claim->unexplored), p, seed,
	     "a kind is explored or not; complete: none was left out");
	for (int i = 0; b->has_all && i < n->found.n; i++) {
		int k = 0;

		while (k < b->all.n_outcomes && b->all.outcomes[k].id != n->found.outcomes[i])
			k++;
		hold(k < b->all.n_outcomes, p, seed, "no outcome that does not exist");
	}
}

/* ---- programs */

static bool make(struct prog *p, unsigned seed, struct truth *b)
{
	switch (seed % 3) {
	case 0:
		prog_random(p, seed, seed % 2 ? 4 : 3, seed % 2 ? 2 : 4);
		break;
	default:
		prog_random_chances(p, seed, seed % 3 == 1 ? 3 : 4, seed % 3 == 1 ? 6 : 3);
	}
	brute_force(p, MAX_C, MOST_RUNS, &b->bounded);
	if (b->bounded.cut)
		return false;
	brute_force(p, BRUTE_C, MOST_RUNS, &b->all);
	b->has_all = !b->all.cut;
	return true;
}

static void every_strategy_claims_only_what_is_true(void **state)
{
	static struct truth b;
	static struct seen n;
	unsigned programs = 0, deadlocks = 0, whole = 0, both = 0, said[VARIANTS] = { 0 };

	(void)state;
	for (unsigned seed = 30000; seed < 30000 + PROGRAMS; seed++) {
		struct prog p;

		if (!make(&p, seed, &b))
			continue;
		programs++;
		whole += b.has_all;
		for (int i = 0; i < b.bounded.n_outcomes; i++)
			deadlocks += b.bounded.outcomes[i].verdict == VTB_V_DEADLOCK;
		for (size_t k = 0; k < VARIANTS; k++) {
			const struct variant *w = &variants[k];
			struct vtb_search_stats stats;
			struct vtb_claim claim;

			search_variant(&p, w, &n, &stats, &claim);
			row = k;
			complete_means_every_outcome(w, &p, seed, &b, &n, &claim);
			levels_mean_every_outcome_below(&p, seed, &b, &n, &claim, !strcmp(w->strategy, "portfolio"));
			both_orders_were_run(&p, seed, &n, &claim);
			both += strstr(claim.text, "two opposite priority orders") != NULL;
			the_lowest_is_the_lowest(&p, seed, &b, &n, &stats);
			nothing_else_is_claimed(w, &p, seed, &claim);
			the_figures_are_true(&p, seed, &b, &n, &stats, &claim);
			said[k] += blocks_mean_every_outcome(w, &p, seed, &b, &n, &claim) || claim.complete ||
			           (claim.enumerates && claim.c && w->budget && w->budget < 100);
		}
	}
	print_message("%u programs, all outcomes known of %u, %u deadlocks, %u times both orders\n", programs, whole,
	              deadlocks, both);
	for (size_t k = 0; k < VARIANTS; k++)
		print_message("row %zu, %s: %u claims\n", k, variants[k].strategy, said[k]);
	for (size_t k = 0; k < VARIANTS; k++)
		assert_true(said[k] * 100 >= variants[k].at_least * programs);
	assert_true(programs * 4 >= PROGRAMS * 3 && whole * 4 >= PROGRAMS && deadlocks * 20 >= PROGRAMS);
	assert_true(both >= 2 * programs);
}

static void every_strategy_is_in_the_table(void **state)
{
	const char *name;

	(void)state;
	for (size_t i = 0; (name = vtb_strategy_name(i, NULL)); i++) {
		size_t k = 0;

		while (k < VARIANTS && strcmp(variants[k].strategy, name))
			k++;
		if (k == VARIANTS)
			fail_msg("the strategy %s has no row in clause_rows.h: what does it claim?", name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_strategy_is_in_the_table),
		cmocka_unit_test(every_strategy_claims_only_what_is_true),
	};

	return cmocka_run_group_tests_name("clauses", tests, NULL, NULL);
}
