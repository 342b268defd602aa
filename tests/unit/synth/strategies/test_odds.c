/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The random strategies find failures no more rarely than the odds they print say. */
#include "cases.h"
#include "random_search.h"

/* Programs decided at a thread's start: the last writer must not run when the reader is stopped for the first one. Read
 * x, x = 1, read x, then the last writer, and what it writes is read (or not: it need only be late). */
static void decided_at_a_start(int i, struct prog *p)
{
	*p = (struct prog){ .n_threads = 4, .n_vars = 2, .n_locks = 1, .n_conds = 1 };
	prog_create_all(p);
	for (int k = 0; k < (i == 0 ? 4 : i == 1 ? 3 : 2); k++)
		prog_add(p, 1, (struct prog_instr){ .code = P_READ, .obj = i == 0 && k > 1, .reg = k });
	if (i == 0)
		prog_add(
		    p, 1,
		    (struct prog_instr){ .code = P_ASSERT_OR, .reg = 0, .reg2 = 1, .reg3 = 2, .reg4 = 3, .k = -1 });
	if (i == 1)
		prog_add(p, 1, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 0, .n = 2 });
	if (i > 0)
		prog_add(p, 1, (struct prog_instr){ .code = P_SKIP, .reg = 1, .k = 1, .n = 1 });
	if (i == 1)
		prog_add(p, 1, (struct prog_instr){ .code = P_ASSERT_NE, .reg = 2, .k = 2 });
	if (i == 2)
		prog_add(p, 1, (struct prog_instr){ .code = P_ASSERT_NE, .reg = 0, .k = 0 });
	add(p, 2, P_WRITE, 0, 1);
	add(p, 3, P_WRITE, i == 0, i == 0 ? 1 : 2);
	prog_join_all(p);
}

/* Depth: change points that suffice below the given order of threads, and one. In figure 10 of [CVT13] thread 1 is
 * stopped for each of two others, of which one must not run at the first stop: it needs a change point of its own. */
#define STARTS 3
static const struct {
	uint32_t depth, v;
} bugs[PROG_FIGURES + STARTS] = { { 1, 0 }, { 2, 1 }, { 3, 1 }, { 3, 2 }, { 1, 0 },
	                          { 2, 1 }, { 4, 2 }, { 4, 2 }, { 4, 1 }, { 3, 1 } };

static void no_bound_is_refuted(const char *strategy, uint64_t runs)
{
	for (int i = 0; i < PROG_FIGURES + STARTS; i++) {
		const uint64_t budget = (i == PROG_FIGURES   ? 48
		                         : bugs[i].depth > 3 ? 8
		                                             : 1) *
		                        runs; /* enough for 12 hits where a start decides: none refutes the claim */
		struct vtb_search_stats stats;
		struct vtb_claim claim;
		struct tally t;
		struct prog p;

		if (i < PROG_FIGURES)
			prog_figure(i, &p);
		else
			decided_at_a_start(i - PROG_FIGURES, &p);
		stats = search_with(&p, strategy, bugs[i].depth - 1,
		                    i < PROG_FIGURES ? prog_figures[i].tuple.v : bugs[i].v, budget, 3, &t, &claim);
		print_message("%s, %s: %llu hits, at least %.1f expected\n", strategy,
		              i < PROG_FIGURES ? prog_figures[i].name : "decided at a start",
		              (unsigned long long)stats.failing, claim.probability * (double)budget);
		assert_true(claim.probability > 0);
		assert_true(ln_binomial_below(budget, claim.probability, stats.failing) > log(REFUTED));
	}
}

static void pct_hits_as_often_as_it_says(void **state)
{
	(void)state;
	no_bound_is_refuted("pct", CASES(10000));
}

static void pctvb_hits_as_often_as_it_says(void **state)
{
	(void)state;
	no_bound_is_refuted("pctvb", CASES(10000));
}

/* The same programs as (c, v, t): a thread may go on above another one that has not begun, so that stops are enough. */
static const struct vtb_tuple starts[STARTS] = { { .c = 2, .v = 2, .t = 3 },
	                                         { .c = 2, .v = 1, .t = 3 },
	                                         { .c = 1, .v = 1, .t = 3 } };

/* Runs in which `hits` failing ones are expected by the bound that is claimed. */
static uint64_t runs_for(const struct prog *p, struct vtb_tuple bound, double hits)
{
	struct vtb_claim claim;
	struct tally t;

	search_among(p, "pcttb", bound, 200, 3, &t, &claim);
	assert_true(claim.probability > 0);
	return (uint64_t)(hits / claim.probability) + 1000;
}

#define EXPECTED 14 /* none at all would refute the claim: e^-14 */
#ifndef MOST_RUNS
#define MOST_RUNS CASES(130000u) /* for one program; test_odds_long.c has no such bound */
#endif

static void pcttb_hits_as_often_as_it_says(void **state)
{
	(void)state;
	for (int i = 0; i < PROG_FIGURES + STARTS; i++) {
		const struct vtb_tuple bound = i < PROG_FIGURES ? prog_figures[i].tuple : starts[i - PROG_FIGURES];
		struct vtb_search_stats stats;
		struct vtb_claim claim;
		struct tally t;
		struct prog p;
		uint64_t n;

		if (i < PROG_FIGURES)
			prog_figure(i, &p);
		else
			decided_at_a_start(i - PROG_FIGURES, &p);
		n = runs_for(&p, bound, EXPECTED);
		if (n > MOST_RUNS)
			continue;
		stats = search_among(&p, "pcttb", bound, n, 3, &t, &claim);
		print_message("pcttb (%u, %u, %u): %llu hits of %llu, at least %.1f expected\n", bound.c, bound.v,
		              bound.t, (unsigned long long)stats.failing, (unsigned long long)n,
		              claim.probability * (double)n);
		assert_true(claim.probability * (double)n > -log(REFUTED));
		assert_true(ln_binomial_below(n, claim.probability, stats.failing) > log(REFUTED));
	}
}

static void the_binomial_test_refutes_what_is_false(void **state)
{
	(void)state;
	assert_true(ln_binomial_below(20000, 0.01, 200) > log(0.4));
	assert_true(ln_binomial_below(20000, 0.01, 140) < log(REFUTED));
	assert_true(fabs(ln_binomial_below(10, 0.5, 10)) < 1e-9);
}

/* One variable that is touched once by each thread, another one 20 times: with the variable drawn first the rare one is
 * hit more often. */
static void variable_bounding_finds_what_is_rare_sooner(void **state)
{
	struct vtb_search_stats plain, bounded;
	struct vtb_claim claim;
	struct tally t;
	struct prog p = { .n_threads = 3, .n_vars = 2, .n_locks = 1, .n_conds = 1 };

	(void)state;
	prog_create_all(&p);
	for (int thread = 1; thread < 3; thread++) {
		for (int i = 0; i < 10; i++)
			add(&p, thread, P_WRITE, 1, i);
		prog_add(&p, thread, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
		prog_add(&p, thread, (struct prog_instr){ .code = P_STORE, .obj = 0, .reg = 0, .k = 1 });
		for (int i = 0; i < 10; i++)
			add(&p, thread, P_WRITE, 1, i);
	}
	prog_join_all(&p);
	prog_add(&p, 0, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
	prog_add(&p, 0, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 2 });
	plain = search_with(&p, "pct", 1, 1, 10000, 3, &t, &claim);
	bounded = search_with(&p, "pctvb", 1, 1, 10000, 3, &t, &claim);
	print_message("pct %llu, pctvb %llu hits\n", (unsigned long long)plain.failing,
	              (unsigned long long)bounded.failing);
	assert_true(bounded.failing * 10 > 13 * plain.failing);
}

/* Thread 1 is stopped between its reads of x for thread 2, and goes on before thread 3: one stop is enough if what is
 * left of it may stand above thread 3. */
static void a_stopped_thread_may_go_on_above_another(void **state)
{
	struct prog p = { .n_threads = 4, .n_vars = 2, .n_locks = 1, .n_conds = 1 };
	struct vtb_search_stats below, among;
	struct vtb_claim claim;
	struct tally t;

	(void)state;
	prog_create_all(&p);
	for (int k = 0; k < 3; k++)
		prog_add(&p, 1, (struct prog_instr){ .code = P_READ, .obj = k == 2, .reg = k });
	prog_add(&p, 1, (struct prog_instr){ .code = P_ASSERT_OR, .reg = 0, .reg2 = 1, .reg3 = 2, .k = 0 });
	add(&p, 2, P_WRITE, 0, 1);
	add(&p, 3, P_WRITE, 1, 1);
	prog_join_all(&p);
	below = search_with(&p, "pctvb", 1, 1, 20000, 3, &t, &claim);
	among = search_with(&p, "pcttb", 1, 1, 20000, 3, &t, &claim);
	print_message("below all %llu, among all %llu hits\n", (unsigned long long)below.failing,
	              (unsigned long long)among.failing);
	assert_int_equal(below.failing, 0);
	assert_true(among.failing > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_binomial_test_refutes_what_is_false),
		cmocka_unit_test(pct_hits_as_often_as_it_says),
		cmocka_unit_test(pctvb_hits_as_often_as_it_says),
		cmocka_unit_test(pcttb_hits_as_often_as_it_says),
		cmocka_unit_test(a_stopped_thread_may_go_on_above_another),
		cmocka_unit_test(variable_bounding_finds_what_is_rare_sooner),
	};

	return cmocka_run_group_tests_name("odds", tests, NULL, NULL);
}
