/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bounds, budgets, focus and what a search says about itself. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "cases.h"
#include "prog.h"
#include "vtb/strategies.h"
#include "vtb/thread_bound.h"
#include "vtb/wire.h"

/* Deviations charged to anything but variable `data`, and the highest c. */
struct watch {
	uint32_t only_var;
	uint64_t elsewhere;
	uint32_t max_c, last_l;
	bool l_in_order;
	uint64_t hash;
};

static void look(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id,
                 bool new_class, void *data)
{
	struct watch *w = data;
	const struct vtb_tuple t = vtb_exec_tuple(x);

	(void)search;
	(void)new_class;
	for (size_t i = 0; i < s->n_deviations; i++)
		w->elsewhere += s->deviations[i].cost && s->deviations[i].var != w->only_var;
	w->max_c = t.c > w->max_c ? t.c : w->max_c;
	w->l_in_order &= s->tuple.l >= w->last_l;
	w->last_l = s->tuple.l;
	w->hash = w->hash * 31 + class_id;
}

static int search_with(const struct prog *p, const struct vtb_search_opts *opts, struct watch *w,
                       struct vtb_search_stats *stats, struct vtb_claim *claim)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = look, .data = w };

	*w = (struct watch){ .only_var = w->only_var, .l_in_order = true };
	return run_search(p, opts, &calls, stats, claim);
}

/* n workers that each read and write every variable. */
static void busy(struct prog *p, int n_threads, int n_vars)
{
	memset(p, 0, sizeof(*p));
	p->n_threads = n_threads;
	p->n_vars = n_vars;
	p->n_locks = p->n_conds = 1;
	prog_create_all(p);
	for (int t = 1; t < n_threads; t++)
		for (int v = 0; v < n_vars; v++) {
			prog_add(p, t, (struct prog_instr){ .code = P_READ, .obj = v, .reg = 0 });
			prog_add(p, t, (struct prog_instr){ .code = P_STORE, .obj = v, .reg = 0, .k = 1 });
		}
	prog_join_all(p);
}

static void a_budget_is_kept_to_the_schedule(void **state)
{
	static const char *const names[] = { "portfolio", "cvt", "dfs", "dpor", "random", "pct" };
	struct vtb_search_opts opts;
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct watch w = { 0 };
	struct prog p;

	(void)state;
	busy(&p, 4, 3);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		vtb_search_opts_init(&opts);
		opts.strategy = names[i];
		opts.budget = 101; /* no multiple of the batch */
		assert_int_equal(search_with(&p, &opts, &w, &stats, &claim), VTB_SEARCH_BUDGET);
		assert_int_equal(stats.schedules, 101);
		assert_false(claim.complete);
		assert_int_equal(stats.diverged, 0);
	}
}

static void the_same_seed_gives_the_same_search(void **state)
{
	static const char *const names[] = { "portfolio", "cvt", "random", "pct" };
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct prog p;

	(void)state;
	busy(&p, 5, 3);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct watch a = { 0 }, b = { 0 };
		struct vtb_search_opts opts;

		vtb_search_opts_init(&opts);
		opts.strategy = names[i];
		opts.budget = 500;
		opts.seed = 42;
		search_with(&p, &opts, &a, &stats, &claim);
		search_with(&p, &opts, &b, &stats, &claim);
		assert_true(a.hash == b.hash);
		opts.seed = 43;
		search_with(&p, &opts, &b, &stats, &claim);
		if (strcmp(names[i], "cvt") != 0)
			assert_true(a.hash != b.hash);
	}
}

static void a_focus_keeps_deviations_to_one_variable(void **state)
{
	static const char *const names[] = { "cvt", "dfs" };
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct prog p;

	(void)state;
	busy(&p, 3, 2);
	for (size_t i = 0; i < 2; i++) {
		struct watch w = { .only_var = 1 }; /* x1 */
		struct vtb_search_opts opts;

		vtb_search_opts_init(&opts);
		opts.strategy = names[i];
		opts.focus_var = "x1";
		assert_int_equal(search_with(&p, &opts, &w, &stats, &claim), VTB_SEARCH_EXHAUSTED);
		assert_int_equal(w.elsewhere, 0);
		assert_int_equal(w.max_c, 2);
		assert_false(claim.complete); /* within the focus only */
	}
}

static void low_loop_iterations_come_first(void **state)
{
	struct watch w = { 0 };
	struct vtb_search_opts opts;
	struct vtb_search_stats stats, more;
	struct vtb_claim claim;
	struct prog p;

	(void)state;
	busy(&p, 3, 3);
	p.heap = true; /* variable i has loop number i */
	vtb_search_opts_init(&opts);
	opts.strategy = "cvt";
	assert_int_equal(search_with(&p, &opts, &w, &stats, &claim), VTB_SEARCH_EXHAUSTED);
	assert_int_equal(w.last_l, 0);
	opts.l = 2;
	assert_int_equal(search_with(&p, &opts, &w, &more, &claim), VTB_SEARCH_EXHAUSTED);
	assert_int_equal(w.last_l, 2);
	assert_true(w.l_in_order);
	assert_true(more.schedules > stats.schedules);
}

/* With many threads orders are random ones, as many as the lemma asks for, and their fragments are drawn. */
static void many_threads_are_searched_by_random_orders(void **state)
{
	struct watch w = { 0 };
	struct vtb_search_opts opts;
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct prog p;

	(void)state;
	busy(&p, PROG_THREADS, 1);
	vtb_search_opts_init(&opts);
	opts.strategy = "cvt";
	opts.c = 1;
	opts.epsilon = 0.9; /* not more than 6! orders, so that they are not enumerated */
	opts.budget = 3000;
	search_with(&p, &opts, &w, &stats, &claim);
	assert_int_equal(stats.diverged, 0);
	assert_true(w.max_c <= 1);
	assert_true(stats.classes > 50);
}

/* Schedules, and those in which a stop after the first `v` is charged to another variable than those. */
struct chosen {
	uint32_t v;
	uint64_t others, hash;
};

static void look_chosen(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                        uint64_t class_id, bool new_class, void *data)
{
	struct chosen *c = data;
	uint32_t chosen[8], n = 0;
	bool other = false;

	(void)search;
	(void)x;
	(void)new_class;
	for (size_t i = 0; i < s->n_deviations; i++) {
		bool met = false;

		if (!s->deviations[i].cost)
			continue;
		for (uint32_t k = 0; k < n && k < c->v; k++)
			met |= chosen[k] == s->deviations[i].var;
		other |= n >= c->v && !met;
		assert_in_range(n, 0, 7);
		chosen[n++] = s->deviations[i].var;
	}
	c->others += other;
	c->hash += class_id;
}

static uint64_t search_chosen(const struct prog *p, bool dynamic, uint32_t c, uint32_t v, struct chosen *ret)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = look_chosen, .data = ret };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search_opts opts;
	struct vtb_search *search;
	uint64_t n;

	*ret = (struct chosen){ .v = v };
	vtb_search_opts_init(&opts);
	opts.strategy = "cvt";
	opts.dynamic = dynamic;
	opts.exhaust = true;
	opts.c = c;
	opts.v = v;
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	assert_int_equal(vtb_search_run(search, &calls, NULL), VTB_SEARCH_EXHAUSTED);
	n = vtb_search_stats(search)->schedules;
	vtb_search_free(search);
	vtb_runner_free(runner);
	return n;
}

static void the_first_stops_choose_the_variables_if_asked_to(void **state)
{
	uint64_t others = 0, fewer = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct chosen all, some;
		uint64_t n;
		struct prog p;

		prog_random(&p, seed, 3, 4);
		n = search_chosen(&p, false, 3, 2, &all);
		fewer += search_chosen(&p, true, 3, 2, &some) < n;
		assert_int_equal(some.others, 0);
		others += all.others;
		/* as many stops as variables: nothing is left out */
		n = search_chosen(&p, false, 2, 2, &all);
		assert_int_equal(search_chosen(&p, true, 2, 2, &some), n);
		assert_true(some.hash == all.hash);
	}
	assert_true(others > 0);
	assert_true(fewer > 0);
}

static void what_does_not_fit_in_memory_is_counted(void **state)
{
	struct watch w = { 0 };
	struct vtb_search_opts opts;
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct prog p;

	(void)state;
	busy(&p, 3, 2);
	vtb_search_opts_init(&opts);
	opts.strategy = "dfs";
	opts.memory = 2000; /* about 50 nodes */
	assert_int_equal(search_with(&p, &opts, &w, &stats, &claim), VTB_SEARCH_EXHAUSTED);
	assert_true(claim.dropped > 0);
	assert_false(claim.complete);
	assert_int_equal(claim.c, 0);
}

static void an_unknown_strategy_is_refused_by_name(void **state)
{
	struct vtb_search_opts opts;
	struct vtb_search *search;
	struct vtb_error err = { 0 };
	struct vtb_runner *runner;
	struct prog p;

	(void)state;
	busy(&p, 3, 1);
	runner = prog_runner(&p);
	vtb_search_opts_init(&opts);
	opts.strategy = "luck";
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, &err), -EINVAL);
	assert_non_null(strstr(err.text, "luck"));
	vtb_runner_free(runner);
}

static void the_statement_says_what_was_done(void **state)
{
	const struct vtb_search_calls calls = { 0 };
	struct vtb_search_opts opts;
	struct vtb_search *search;
	struct vtb_runner *runner;
	char text[1024], small[8];
	struct prog p;

	(void)state;
	busy(&p, 3, 1);
	runner = prog_runner(&p);
	vtb_search_opts_init(&opts);
	opts.strategy = "dfs";
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	vtb_search_statement(search, text, sizeof(text));
	assert_non_null(strstr(text, "0 schedules"));
	assert_int_equal(vtb_search_run(search, &calls, NULL), VTB_SEARCH_EXHAUSTED);
	vtb_search_statement(search, text, sizeof(text));
	assert_non_null(
	    strstr(text, "Complete: every schedule with c <= 2 deviations at v <= 2 variables was executed"));
	assert_non_null(strstr(text, "Sequentially consistent"));
	vtb_search_statement(search, small, sizeof(small));
	assert_true(strlen(small) < sizeof(small));
	vtb_search_free(search);
	vtb_runner_free(runner);
}

/* ---- pct: its bound holds */

static void pct_finds_a_bug_of_depth_two_at_least_as_often_as_it_says(void **state)
{
	struct vtb_search_opts opts;
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct watch w = { 0 };
	struct prog p;
	double expected;

	(void)state;
	prog_figure(1, &p); /* two reads, and a write between them: one change point */
	vtb_search_opts_init(&opts);
	opts.strategy = "pct";
	opts.c = 1;
	opts.budget = 20000;
	opts.no_hand_over = true;
	search_with(&p, &opts, &w, &stats, &claim);
	expected = claim.probability * 20000;
	print_message("%llu hits, at least %.0f expected\n", (unsigned long long)stats.failing, expected);
	assert_true(claim.probability > 0);
	assert_true((double)stats.failing > expected * 6 / 10); /* 4 sigma of a binomial with mean >= 100 */
	assert_true(expected > 100);
}

/* ---- t */

static enum vtb_search_reply keep(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                                  struct vtb_tuple t, void *data)
{
	(void)search;
	(void)s;
	(void)t;
	assert_int_equal(vtb_exec_copy(x, data), 0);
	return VTB_SEARCH_STOP;
}

static void every_failure_of_random_programs_has_a_thread_bound(void **state)
{
	uint32_t failures = 0;

	(void)state;
	for (unsigned seed = 0; seed < CASES(300); seed++) {
		const struct vtb_thread_bound_opts bound_opts = { .seed = seed };
		struct vtb_exec failing = { 0 };
		const struct vtb_search_calls calls = { .failing = keep, .data = &failing };
		struct vtb_thread_bound bound;
		struct vtb_search_opts opts;
		struct vtb_search *search;
		struct vtb_runner *runner;
		struct prog p;

		prog_random(&p, seed, seed % 2 ? 3 : 4, 3);
		runner = prog_runner(&p);
		vtb_search_opts_init(&opts);
		opts.strategy = "dpor";
		opts.budget = 1000;
		assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
		if (vtb_search_run(search, &calls, NULL) == VTB_SEARCH_FOUND) {
			assert_int_equal(vtb_thread_bound(runner, &failing, &bound_opts, &bound, NULL), 0);
			assert_in_range(bound.t, 2, (unsigned)p.n_threads);
			vtb_thread_bound_fini(&bound);
			failures++;
		}
		vtb_exec_fini(&failing);
		vtb_search_free(search);
		vtb_runner_free(runner);
	}
	assert_true(failures > CASES(50));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_budget_is_kept_to_the_schedule),
		cmocka_unit_test(the_same_seed_gives_the_same_search),
		cmocka_unit_test(a_focus_keeps_deviations_to_one_variable),
		cmocka_unit_test(low_loop_iterations_come_first),
		cmocka_unit_test(many_threads_are_searched_by_random_orders),
		cmocka_unit_test(the_first_stops_choose_the_variables_if_asked_to),
		cmocka_unit_test(what_does_not_fit_in_memory_is_counted),
		cmocka_unit_test(an_unknown_strategy_is_refused_by_name),
		cmocka_unit_test(the_statement_says_what_was_done),
		cmocka_unit_test(pct_finds_a_bug_of_depth_two_at_least_as_often_as_it_says),
		cmocka_unit_test(every_failure_of_random_programs_has_a_thread_bound),
	};

	return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
