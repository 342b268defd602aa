/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What strategies claim, against every way a program can go, time and chance included: random programs with waits,
 * deadlines, several waiters, weak compare-exchanges, deadlocks.
 */
#include "agree.h"
#include "cases.h"
#include "vtb/exec.h"

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

struct counts {
	uint64_t programs, runs, chances, deadlocks;
};

static bool compared(struct prog *p, unsigned seed, int max_c, uint64_t max_runs, struct brute *b, struct counts *n)
{
	prog_random_chances(p, seed, seed % 3 ? 3 : 4, seed % 3 ? 6 : 3);
	brute_force(p, max_c, max_runs, b);
	if (b->cut)
		return false;
	n->programs++;
	n->runs += b->runs;
	for (int i = 0; i < b->n_outcomes; i++) {
		n->chances += b->outcomes[i].c > 0;
		n->deadlocks += b->outcomes[i].verdict == VTB_V_DEADLOCK;
	}
	return true;
}

static void print(const struct counts *n)
{
	print_message("%llu programs, %llu runs, %llu outcomes that need a deviation, %llu deadlocks\n",
	              (unsigned long long)n->programs, (unsigned long long)n->runs, (unsigned long long)n->chances,
	              (unsigned long long)n->deadlocks);
}

/* ---- dfs: complete within (c, v); every level below the one it says */

static uint64_t within(const struct brute *b, uint32_t c, uint32_t v)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i <= c; i++)
		for (uint32_t k = 0; k <= v; k++)
			n += b->runs_at[i][k];
	return n;
}

static void dfs_runs_every_way_within_its_bound(void **state)
{
	static struct brute b;
	struct counts n = { 0 };

	(void)state;
	for (unsigned seed = 100; seed < 100 + CASES(300); seed++) {
		const uint32_t c = seed % 3, v = c ? 1 + seed % 2 : 0;
		struct vtb_search_opts opts = options("dfs", c, v);
		struct vtb_search_stats stats;
		struct vtb_claim claim;
		struct found f;
		struct prog p;

		if (!compared(&p, seed, 2, 4000, &b, &n))
			continue;
		check(search_program(&p, &opts, &f, &stats, &claim) == VTB_SEARCH_EXHAUSTED, &p, seed, "dfs ends");
		check(stats.schedules == within(&b, c, v < c ? v : c), &p, seed,
		      "as many runs as there are within (c, v)");
		check(claim.complete, &p, seed, "and it says so");
		check(!f.diverged, &p, seed, "schedules are followed");
		for (int i = 0; i < b.n_outcomes; i++)
			if (b.outcomes[i].c <= (int)c && b.outcomes[i].v <= (int)v)
				check(has(&f, b.outcomes[i].id), &p, seed, "every outcome within the bound");
	}
	print(&n);
	assert_true(n.programs >= CASES(200) && n.chances >= CASES(60) && n.deadlocks >= CASES(30));
}

static void a_search_that_is_stopped_claims_no_level_that_it_has_not_finished(void **state)
{
	static struct brute b;
	struct counts n = { 0 };
	unsigned early = 0;

	(void)state;
	for (unsigned seed = 400; seed < 400 + CASES(200); seed++) {
		struct vtb_search_opts opts = options("dfs", 2, 2);
		struct vtb_search_stats stats;
		struct vtb_claim claim;
		struct found f;
		struct prog p;

		if (!compared(&p, seed, 2, 4000, &b, &n))
			continue;
		opts.budget = 1 + b.runs / 2;
		search_program(&p, &opts, &f, &stats, &claim);
		check(!claim.complete || stats.schedules == b.runs, &p, seed, "complete only if all was run");
		for (int i = 0; i < b.n_outcomes; i++)
			if (b.outcomes[i].c < (int)claim.c ||
			    (b.outcomes[i].c == (int)claim.c && b.outcomes[i].v < (int)claim.v))
				check(has(&f, b.outcomes[i].id), &p, seed, "every outcome below the level it says");
		early += !claim.complete;
	}
	assert_true(n.programs >= CASES(100) && early >= CASES(50));
}

static void with_states_the_outcomes_are_the_same(void **state)
{
	static struct brute b;
	unsigned programs = 0;
	uint64_t runs = 0, fewer = 0;

	(void)state;
	for (unsigned seed = 600; seed < 600 + CASES(160); seed++) {
		struct vtb_search_opts opts = options("dfs", VTB_UNBOUNDED, VTB_UNBOUNDED);
		struct vtb_search_stats stats;
		struct vtb_claim claim;
		struct found f;
		struct prog p;

		prog_random_chances(&p, seed, 3, 6);
		brute_force_states(&p, 6000, &b);
		if (b.cut)
			continue;
		opts.match_states = true;
		check(search_program(&p, &opts, &f, &stats, &claim) == VTB_SEARCH_EXHAUSTED, &p, seed, "it ends");
		check_outcomes(&f, &b, &p, seed);
		check(stats.schedules == b.state_edges - b.states + 1, &p, seed,
		      "one run for each way on from each state, but for one a state");
		programs++;
		runs += b.runs;
		fewer += stats.schedules;
	}
	print_message("%u programs, %llu runs, %llu with states\n", programs, (unsigned long long)runs,
	              (unsigned long long)fewer);
	assert_true(programs >= CASES(60) && fewer * 3 < runs);
}

/* ---- cvt: each outcome at its lowest (c, v) where all orders are enumerated */

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

static int search_tuples(const struct prog *p, const struct vtb_search_opts *opts, struct tuples *t,
                         struct vtb_claim *claim)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = note_tuple, .data = t };
	struct vtb_search_stats stats;

	memset(t, 0, sizeof(*t));
	return run_search(p, opts, &calls, &stats, claim);
}

static void check_lowest(const char *strategy, unsigned from, unsigned to, unsigned at_least)
{
	static struct brute b;
	static struct tuples t;
	struct counts n = { 0 };

	for (unsigned seed = from; seed < to; seed++) {
		struct vtb_search_opts opts = options(strategy, 1, 1);
		struct vtb_claim claim;
		struct prog p;

		if (!compared(&p, seed, 1, 4000, &b, &n))
			continue;
		search_tuples(&p, &opts, &t, &claim);
		for (int i = 0; i < b.n_outcomes; i++) {
			int k = 0;

			while (k < t.all.n && t.all.outcomes[k] != b.outcomes[i].id)
				k++;
			check(k < t.all.n, &p, seed, "every outcome");
			check((int)t.lowest[k].c == b.outcomes[i].c && (int)t.lowest[k].v == b.outcomes[i].v, &p, seed,
			      "at its lowest tuple");
		}
	}
	print(&n);
	assert_true(n.programs >= at_least);
}

static void cvt_reaches_every_outcome_at_its_lowest_tuple(void **state)
{
	(void)state;
	check_lowest("cvt", 1000, 1150, 100);
}

/* ---- others: `complete` only with every outcome; nothing explored is left out */

static void who_says_complete_has_every_outcome(void **state)
{
	static const char *const strategies[] = { "portfolio", "bestfirst", "dpor", "exitblock", "cvt" };
	static struct brute b;
	unsigned said[5] = { 0 };

	(void)state;
	for (unsigned seed = 2000; seed < 2000 + CASES(250); seed++) {
		struct vtb_search_opts opts = options(strategies[seed % 5], 1, 1);
		struct vtb_search_stats stats;
		struct vtb_claim claim;
		struct counts n = { 0 };
		struct found f;
		struct prog p;

		if (!compared(&p, seed, 1, 3000, &b, &n))
			continue;
		opts.budget = 5000;
		search_program(&p, &opts, &f, &stats, &claim);
		for (int i = 0; i < b.n_outcomes && claim.complete; i++)
			check(has(&f, b.outcomes[i].id) ||
			          (b.outcomes[i].verdict == VTB_V_NONE && strcmp(opts.strategy, "portfolio") == 0),
			      &p, seed, "complete: every outcome within the bound");
		check((claim.explored & claim.unexplored) == 0, &p, seed, "a kind is explored or not");
		check(!(claim.complete && claim.unexplored), &p, seed, "complete: no kind of deviation was left out");
		said[seed % 5] += claim.complete;
	}
	print_message("complete: portfolio %u, bestfirst %u, dpor %u, exitblock %u, cvt %u\n", said[0], said[1],
	              said[2], said[3], said[4]);
	assert_true(said[0] > CASES(10) && said[1] > CASES(10));
}

/* ---- a focus: deadlines, too */

static void add_timed_waiter(struct prog *p, int thread)
{
	prog_add(p, thread, (struct prog_instr){ .code = P_LOCK });
	prog_add(p, thread, (struct prog_instr){ .code = P_TIMEDWAIT, .reg = 1 });
	prog_add(p, thread, (struct prog_instr){ .code = P_UNLOCK });
	prog_add(p, thread, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 1, .k = 0 });
}

static bool fails_with_focus(const char *strategy, const char *focus)
{
	struct vtb_search_opts opts = options(strategy, 1, 1);
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct found f;
	struct prog p;

	memset(&p, 0, sizeof(p));
	p.n_threads = 3;
	p.n_vars = p.n_locks = p.n_conds = 1;
	p.kinds = 1u << VTB_DEV_TIMEOUT;
	prog_create_all(&p);
	add_timed_waiter(&p, 1);
	for (int i = 0; i < 3; i++)
		prog_add(&p, 2, (struct prog_instr){ .code = P_WRITE, .obj = 0, .k = i });
	prog_add(&p, 2, (struct prog_instr){ .code = P_SIGNAL });
	prog_join_all(&p);
	opts.focus_var = focus;
	opts.exhaust = true;
	search_program(&p, &opts, &f, &stats, &claim);
	return stats.failing > 0;
}

static void a_deadline_lies_in_the_focus_if_it_passes_there_or_is_waited_for_there(void **state)
{
	static const char *const strategies[] = { "dfs", "cvt" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_true(fails_with_focus(strategies[i], NULL));
		assert_true(fails_with_focus(strategies[i], "c0")); /* what the thread waits at */
		assert_true(fails_with_focus(strategies[i], "x0")); /* it passes after an operation on it */
		assert_true(fails_with_focus(strategies[i], "clock"));
	}
}

static void a_focus_on_what_no_run_has_is_noticed(void **state)
{
	static const char *const names[] = { "x0", "nosuch" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct vtb_search_calls calls = { .failing = vtb_search_go_on };
		struct vtb_search_opts opts = options("cvt", 1, 1);
		struct vtb_runner *runner;
		struct vtb_search *search;
		struct prog p;

		prog_figure(1, &p);
		opts.focus_var = names[i];
		runner = prog_runner(&p);
		assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
		vtb_search_run(search, &calls, NULL);
		assert_int_equal(vtb_search_focus_met(search), i == 0);
		vtb_search_free(search);
		vtb_runner_free(runner);
	}
}

/* Figure 2 needs a preemption at x0. */
static uint64_t failing_in_figure_2(const char *strategy, const char *focus)
{
	struct vtb_search_opts opts = options(strategy, 1, 1);
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct found f;
	struct prog p;

	prog_figure(1, &p);
	opts.focus_var = focus;
	opts.budget = 300;
	search_program(&p, &opts, &f, &stats, &claim);
	return stats.failing;
}

static void no_member_of_the_portfolio_leaves_the_focus(void **state)
{
	static const char *const strategies[] = { "dfs", "cvt", "bestfirst", "portfolio" };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_true(failing_in_figure_2(strategies[i], "x0") > 0);
		assert_int_equal(failing_in_figure_2(strategies[i], "x1"), 0);
	}
}

/* ---- where everybody waits, chance can still help: both who enumerate and cvt look there */

static void a_deadlock_may_end_by_chance(void **state)
{
	static const char *const strategies[] = { "dfs", "cvt", "portfolio" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct vtb_search_opts opts = options(strategies[i], 1, 1);
		struct vtb_search_stats stats;
		struct vtb_claim claim;
		struct found f;
		struct prog p;

		memset(&p, 0, sizeof(p));
		p.n_threads = 2;
		p.n_vars = p.n_locks = p.n_conds = 1;
		p.kinds = 1u << VTB_DEV_SPURIOUS;
		prog_create_all(&p);
		prog_add(&p, 1, (struct prog_instr){ .code = P_LOCK });
		prog_add(&p, 1, (struct prog_instr){ .code = P_WAIT });
		prog_add(&p, 1, (struct prog_instr){ .code = P_UNLOCK });
		prog_join_all(&p);
		search_program(&p, &opts, &f, &stats, &claim);
		check(f.n == 2, &p, (unsigned)i, "it is stuck, or ends by a wake-up without a signal");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dfs_runs_every_way_within_its_bound),
		cmocka_unit_test(a_search_that_is_stopped_claims_no_level_that_it_has_not_finished),
		cmocka_unit_test(with_states_the_outcomes_are_the_same),
		cmocka_unit_test(cvt_reaches_every_outcome_at_its_lowest_tuple),
		cmocka_unit_test(who_says_complete_has_every_outcome),
		cmocka_unit_test(a_deadline_lies_in_the_focus_if_it_passes_there_or_is_waited_for_there),
		cmocka_unit_test(a_focus_on_what_no_run_has_is_noticed),
		cmocka_unit_test(no_member_of_the_portfolio_leaves_the_focus),
		cmocka_unit_test(a_deadlock_may_end_by_chance),
	};

	return cmocka_run_group_tests_name("statement", tests, NULL, NULL);
}
