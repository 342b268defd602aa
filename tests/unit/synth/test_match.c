/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs that do not go on from a state met before (--match-states): the same outcomes as every interleaving, on random
 * programs. */
#include "agree.h"

#include "cases.h"
#include "vtb/hash_set.h"

struct totals {
	uint64_t programs, interleavings, runs, deadlocks;
};

static struct vtb_search_opts options(const char *strategy, uint32_t c, uint32_t v)
{
	struct vtb_search_opts opts;

	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.c = c;
	opts.v = v;
	opts.match_states = true;
	return opts;
}

static void every_outcome_is_reached_without_a_bound(void **state)
{
	static struct brute b;
	struct totals t = { 0 };

	(void)state;
	for (unsigned seed = 7000; seed < 7000 + CASES(260); seed++) {
		struct vtb_search_opts opts = options("dfs", VTB_UNBOUNDED, VTB_UNBOUNDED);
		struct vtb_search_stats stats;
		struct vtb_claim claim;
		struct found f;
		struct prog p;

		prog_random(&p, seed, seed % 4 == 3 ? 4 : 3, seed % 4 == 3 ? 2 : 4);
		brute_force_states(&p, 10000, &b);
		if (b.cut)
			continue;
		check(search_program(&p, &opts, &f, &stats, &claim) == VTB_SEARCH_EXHAUSTED, &p, seed, "it ends");
		check_outcomes(&f, &b, &p, seed);
		check(claim.complete && claim.unbounded && claim.by_states, &p, seed,
		      "it says that it is complete, by states");
		check(stats.schedules <= b.runs, &p, seed, "no more runs than interleavings");
		check(stats.schedules == b.state_edges - b.states + 1, &p, seed,
		      "one run for each way on from each state, but for the way of the run that came there");
		t.programs++;
		t.interleavings += b.runs;
		t.runs += stats.schedules;
		for (int i = 0; i < b.n_outcomes; i++)
			t.deadlocks += b.outcomes[i].verdict == VTB_V_DEADLOCK;
	}
	print_message("%llu programs, %llu interleavings, %llu runs; %llu outcomes are deadlocks\n",
	              (unsigned long long)t.programs, (unsigned long long)t.interleavings, (unsigned long long)t.runs,
	              (unsigned long long)t.deadlocks);
	assert_true(t.programs >= CASES(150) && t.deadlocks >= CASES(4) && t.runs * 10 < t.interleavings);
}

/* ---- within a bound: the lowest tuple of each outcome, too */

struct tuples {
	struct found all;
	struct vtb_tuple lowest[BRUTE_OUTCOMES];
};

static void note_tuple(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                       uint64_t class_id, bool new_class, void *data)
{
	struct tuples *t = data;
	const struct vtb_tuple here = vtb_exec_tuple(x);
	const int before = t->all.n;
	int i = 0;

	note(search, s, x, class_id, new_class, &t->all);
	while (t->all.outcomes[i] != x->outcome.output_hash)
		i++;
	if (i == before || here.c < t->lowest[i].c || (here.c == t->lowest[i].c && here.v < t->lowest[i].v))
		t->lowest[i] = here;
}

static uint64_t search_tuples(const struct prog *p, const struct vtb_search_opts *opts, struct tuples *t,
                              struct vtb_claim *claim)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = note_tuple, .data = t };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search *search;
	uint64_t runs;

	memset(t, 0, sizeof(*t));
	assert_int_equal(vtb_strategies_begin(runner, opts, &search, NULL), 0);
	assert_int_equal(vtb_search_run(search, &calls, NULL), VTB_SEARCH_EXHAUSTED);
	runs = vtb_search_stats(search)->schedules;
	vtb_search_claim(search, claim);
	vtb_search_free(search);
	vtb_runner_free(runner);
	return runs;
}

static bool same_tuples(const struct tuples *a, const struct tuples *b)
{
	for (int i = 0; i < a->all.n; i++) {
		int k = 0;

		while (k < b->all.n && b->all.outcomes[k] != a->all.outcomes[i])
			k++;
		if (k == b->all.n || a->lowest[i].c != b->lowest[k].c || a->lowest[i].v != b->lowest[k].v)
			return false;
	}
	return a->all.n == b->all.n;
}

static void within_a_bound_outcomes_and_tuples_are_those_of_dfs(void **state)
{
	static struct tuples plain, matched;
	uint64_t runs = 0, fewer = 0;

	(void)state;
	for (unsigned seed = 7500; seed < 7500 + CASES(200); seed++) {
		const uint32_t c = 1 + seed % 2, v = 1 + seed / 2 % c;
		struct vtb_search_opts opts = options("dfs", c, v);
		struct vtb_claim claim;
		struct prog p;

		prog_random(&p, seed, seed % 4 == 3 ? 4 : 3, seed % 4 == 3 ? 2 : 4);
		fewer += search_tuples(&p, &opts, &matched, &claim);
		check(claim.complete && !claim.by_states, &p, seed, "complete within the bound");
		opts.match_states = false;
		runs += search_tuples(&p, &opts, &plain, &claim);
		check(same_tuples(&plain, &matched), &p, seed, "the same outcomes, at the same lowest tuples");
	}
	print_message("%llu runs, %llu of them with states\n", (unsigned long long)runs, (unsigned long long)fewer);
	assert_true(fewer * 10 < runs * 9);
}

/* ---- n threads increment a counter under one lock */

static void counters(struct prog *p, int n)
{
	memset(p, 0, sizeof(*p));
	p->n_threads = n + 1;
	p->n_vars = p->n_locks = 1;
	prog_create_all(p);
	for (int t = 1; t <= n; t++) {
		prog_add(p, t, (struct prog_instr){ .code = P_LOCK });
		prog_add(p, t, (struct prog_instr){ .code = P_READ });
		prog_add(p, t, (struct prog_instr){ .code = P_STORE, .k = 1 });
		prog_add(p, t, (struct prog_instr){ .code = P_UNLOCK });
	}
	prog_join_all(p);
}

static void blocks_of_counters_are_as_many_as_the_edges_of_a_cube(void **state)
{
	uint64_t factorial = 1;

	(void)state;
	for (int n = 2; n <= 7; n++) {
		struct vtb_search_opts opts = options("exitblock", VTB_UNBOUNDED, VTB_UNBOUNDED);
		struct vtb_search_stats stats;
		struct vtb_claim claim;
		struct found f;
		struct prog p;

		factorial *= (uint64_t)n;
		counters(&p, n);
		assert_int_equal(search_program(&p, &opts, &f, &stats, &claim), VTB_SEARCH_EXHAUSTED);
		print_message("%d counters: %llu runs; without states %llu\n", n, (unsigned long long)stats.schedules,
		              (unsigned long long)factorial);
		assert_int_equal(f.n, 1);
		assert_true(stats.schedules <= (uint64_t)n << (n - 1));
		assert_int_equal(stats.schedules,
		                 ((uint64_t)n << (n - 1)) - (1u << n) +
		                     2); /* all edges but one for each corner that has any, and the first run */
		if (n > 4)
			continue;
		opts.match_states = false;
		assert_int_equal(search_program(&p, &opts, &f, &stats, &claim), VTB_SEARCH_EXHAUSTED);
		assert_int_equal(stats.schedules, factorial);
	}
}

static void orders_of_blocks_end_the_same(void **state)
{
	uint64_t runs = 0, fewer = 0;

	(void)state;
	for (unsigned seed = 8000; seed < 8000 + CASES(200); seed++) {
		struct vtb_search_opts opts = options("exitblock", VTB_UNBOUNDED, VTB_UNBOUNDED);
		struct vtb_search_stats plain, matched;
		struct vtb_claim claim;
		struct found all, f;
		struct prog p;

		prog_random(&p, seed, seed % 4 == 3 ? 4 : 3, seed % 4 == 3 ? 2 : 4);
		search_program(&p, &opts, &f, &matched, &claim);
		opts.match_states = false;
		search_program(&p, &opts, &all, &plain, &claim);
		for (int i = 0; i < all.n; i++)
			check(has(&f, all.outcomes[i]), &p, seed, "every outcome of blocks");
		check(f.n == all.n, &p, seed, "and no other");
		runs += plain.schedules;
		fewer += matched.schedules;
	}
	print_message("%llu orders of blocks, %llu runs with states\n", (unsigned long long)runs,
	              (unsigned long long)fewer);
	assert_true(fewer < runs);
}

/* ---- where it is refused, and what it says */

static const char *refusal(const char *strategy, bool rw, const char *focus)
{
	static struct vtb_error err;
	struct vtb_search_opts opts = options(strategy, 2, 2);
	struct vtb_runner *runner;
	struct vtb_search *search = NULL;
	struct prog p;
	int r;

	counters(&p, 2);
	runner = prog_runner(&p);
	opts.rw = rw;
	opts.focus_var = focus;
	err = (struct vtb_error){ 0 };
	r = vtb_strategies_begin(runner, &opts, &search, &err);
	assert_true(r == -EINVAL || r == 0);
	vtb_search_free(search);
	vtb_runner_free(runner);
	return r ? err.text : NULL;
}

static void what_leaves_out_runs_for_another_reason_is_refused(void **state)
{
	static const char *const strategies[] = { "cvt",   "dpor",  "bestfirst", "portfolio", "pct",
		                                  "pctvb", "pcttb", "pos",       "surw",      "random" };

	(void)state;
	for (size_t i = 0; i < sizeof(strategies) / sizeof(*strategies); i++) {
		assert_non_null(refusal(strategies[i], false, NULL));
		assert_non_null(strstr(refusal(strategies[i], false, NULL), "dfs and exitblock"));
	}
	assert_non_null(strstr(refusal("exitblock", true, NULL), "--rw"));
	assert_non_null(strstr(refusal("dfs", false, "x0"), "focus"));
	assert_null(refusal("dfs", false, NULL));
	assert_null(refusal("exitblock", false, NULL));
}

static void the_statement_says_what_was_matched_and_how_surely(void **state)
{
	struct vtb_search_opts opts = options("dfs", VTB_UNBOUNDED, VTB_UNBOUNDED);
	struct vtb_search_calls calls = { .failing = vtb_search_go_on };
	struct vtb_runner *runner;
	struct vtb_search *search;
	char text[2048];
	struct prog p;

	(void)state;
	counters(&p, 2);
	runner = prog_runner(&p);
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	assert_int_equal(vtb_search_run(search, &calls, NULL), VTB_SEARCH_EXHAUSTED);
	vtb_search_statement(search, text, sizeof(text));
	assert_non_null(strstr(text, "Complete: every state that interleavings lead to was gone on from in every way"));
	assert_non_null(strstr(text, "What follows a state was run once"));
	assert_non_null(strstr(text, "128 bits, so that two were taken for one with probability below"));
	vtb_search_free(search);
	vtb_runner_free(runner);
}

/* ---- the set */

static void a_full_set_takes_new_states_for_new_each_time(void **state)
{
	struct vtb_hash_set s;
	bool new;

	(void)state;
	vtb_hash_set_init(&s, 0);
	for (uint64_t i = 0; i < 5000; i++) {
		assert_int_equal(vtb_hash_set_add(&s, (struct vtb_hash128){ i, 77 }, &new), 0);
		assert_true(new);
	}
	assert_int_equal(s.used + s.not_kept, 5000);
	assert_true(s.used <= 768 && s.used > 700);
	assert_int_equal(vtb_hash_set_add(&s, (struct vtb_hash128){ 5, 77 }, &new), 0);
	assert_false(new);
	assert_int_equal(vtb_hash_set_add(&s, (struct vtb_hash128){ 5, 78 }, &new),
	                 0); /* the other half counts as well */
	assert_true(new);
	vtb_hash_set_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_outcome_is_reached_without_a_bound),
		cmocka_unit_test(within_a_bound_outcomes_and_tuples_are_those_of_dfs),
		cmocka_unit_test(blocks_of_counters_are_as_many_as_the_edges_of_a_cube),
		cmocka_unit_test(orders_of_blocks_end_the_same),
		cmocka_unit_test(what_leaves_out_runs_for_another_reason_is_refused),
		cmocka_unit_test(the_statement_says_what_was_matched_and_how_surely),
		cmocka_unit_test(a_full_set_takes_new_states_for_new_each_time),
	};

	return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
