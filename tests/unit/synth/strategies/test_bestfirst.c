/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Best first: whatever the priorities, nothing is left out and nothing is run twice; and they do what they say. */
#include "agree.h"
#include "cases.h"

static const char *const priorities[] = { "pb",     "dpor", "mdpor",    "ss",       "rand",
	                                  "method", "var",  "mdpor,pb", "ss,mdpor", "rand,pb,dpor" };
#define N_PRIORITIES (sizeof(priorities) / sizeof(priorities[0]))

static uint64_t runs_within(const struct brute *b, int c)
{
	uint64_t n = 0;

	for (int i = 0; i <= c; i++)
		for (size_t v = 0; v < sizeof(b->runs_at[0]) / sizeof(b->runs_at[0][0]); v++)
			n += b->runs_at[i][v];
	return n;
}

static void check_bound(const struct prog *p, unsigned seed, const struct brute *b, const char *priority, int c)
{
	struct vtb_search_opts opts;
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct found f;

	vtb_search_opts_init(&opts);
	opts.strategy = "bestfirst";
	opts.priority = priority;
	opts.c = opts.v = (uint32_t)c;
	check(search_program(p, &opts, &f, &stats, &claim) == VTB_SEARCH_EXHAUSTED, p, seed,
	      "it ends when nothing is left");
	check(stats.schedules == runs_within(b, c), p, seed, "every run within the bound is made once");
	check(claim.complete && !f.diverged, p, seed, "it says that it is complete");
	check(claim.kept == 0, p, seed, "the tree is empty when all was run");
	check(claim.unbounded == (stats.schedules == b->runs), p, seed, "it knows whether the bound left anything out");
	if (claim.unbounded)
		check_outcomes(&f, b, p, seed);
}

static void no_priority_prunes(void **state)
{
	static struct brute b;
	unsigned compared = 0;

	(void)state;
	for (unsigned seed = 7000; seed < 7000 + CASES(400); seed++) {
		const char *priority = priorities[seed % N_PRIORITIES];
		struct prog p;

		prog_random(&p, seed, seed % 4 == 3 ? 4 : 3, seed % 4 == 3 ? 2 : 4);
		brute_force(&p, BRUTE_C, 2000, &b);
		if (b.cut)
			continue;
		compared++;
		check_bound(&p, seed, &b, priority, BRUTE_C - 1);
		check_bound(&p, seed, &b, priority, 1);
		check_bound(&p, seed, &b, NULL, 2);
	}
	print_message("%u programs compared\n", compared);
	assert_true(compared >= CASES(200));
}

/* ---- what each puts first */

struct order {
	uint32_t last_c;
	bool falls;
	uint64_t runs, early; /* classes that were new among the first runs */
	uint64_t first;
};

static void look(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id,
                 bool new_class, void *data)
{
	struct order *o = data;
	const uint32_t c = vtb_exec_tuple(x).c;

	(void)search;
	(void)s;
	(void)class_id;
	o->falls |= c < o->last_c;
	o->last_c = c;
	o->early += new_class && o->runs < o->first;
	o->runs++;
}

static struct order order_of(const struct prog *p, const char *priority, uint64_t first)
{
	struct order o = { .first = first };
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = look, .data = &o };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search_opts opts;
	struct vtb_search *search;

	vtb_search_opts_init(&opts);
	opts.strategy = "bestfirst";
	opts.priority = priority;
	opts.c = opts.v = 6;
	opts.budget = 2000;
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	vtb_search_run(search, &calls, NULL);
	vtb_search_free(search);
	vtb_runner_free(runner);
	return o;
}

/* Three workers that read and write three variables each. */
static void busy(struct prog *p)
{
	memset(p, 0, sizeof(*p));
	p->n_threads = 4;
	p->n_vars = 3;
	p->n_locks = p->n_conds = 1;
	prog_create_all(p);
	for (int t = 1; t < p->n_threads; t++)
		for (int v = 0; v < p->n_vars; v++) {
			prog_add(p, t, (struct prog_instr){ .code = P_READ, .obj = v });
			prog_add(p, t, (struct prog_instr){ .code = P_STORE, .obj = v, .k = 1 });
		}
	prog_join_all(p);
}

static void pb_makes_runs_with_fewer_preemptions_first(void **state)
{
	struct prog p;

	(void)state;
	busy(&p);
	assert_false(order_of(&p, "pb", 0).falls);
	assert_true(order_of(&p, "rand", 0).falls);
}

static void what_reduction_would_try_shows_more_classes_early(void **state)
{
	uint64_t pb, dpor, mdpor;
	struct prog p;

	(void)state;
	busy(&p);
	pb = order_of(&p, "pb", 1000).early;
	dpor = order_of(&p, "dpor", 1000).early;
	mdpor = order_of(&p, "mdpor", 1000).early;
	print_message("classes in 1000 runs: pb %llu, dpor %llu, mdpor %llu\n", (unsigned long long)pb,
	              (unsigned long long)dpor, (unsigned long long)mdpor);
	assert_true(dpor > 2 * pb && mdpor > 2 * pb);
}

static void an_unknown_priority_is_refused_by_name(void **state)
{
	struct vtb_search_opts opts;
	struct vtb_error err = { 0 };
	struct vtb_search *search;
	struct vtb_runner *runner;
	struct prog p;

	(void)state;
	busy(&p);
	runner = prog_runner(&p);
	vtb_search_opts_init(&opts);
	opts.strategy = "bestfirst";
	opts.priority = "pb,luck,ss";
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--priority=luck:"));
	vtb_runner_free(runner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_priority_prunes),
		cmocka_unit_test(pb_makes_runs_with_fewer_preemptions_first),
		cmocka_unit_test(what_reduction_would_try_shows_more_classes_early),
		cmocka_unit_test(an_unknown_priority_is_refused_by_name),
	};

	return cmocka_run_group_tests_name("bestfirst", tests, NULL, NULL);
}
