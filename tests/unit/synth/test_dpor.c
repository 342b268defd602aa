/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Partial-order reduction against every interleaving of random programs: the same classes and outcomes, each class
 * once. */
#include "agree.h"

#include "mini/mini.h"
#include "vtb/rng.h"
#include "cases.h"

struct totals {
	uint64_t programs, interleavings, runs, blocked;
};

static void check_program(const struct prog *p, unsigned seed, uint64_t memory, struct totals *t)
{
	static struct brute b;
	struct vtb_search_opts opts;
	struct vtb_search_stats all, stats;
	struct vtb_claim claim;
	struct found every, f;

	brute_force(p, BRUTE_C, 2000, &b);
	if (b.cut)
		return;
	vtb_search_opts_init(&opts);
	opts.strategy = "dfs";
	opts.c = opts.v = BRUTE_C - 1;
	search_program(p, &opts, &every, &all, &claim);
	opts.strategy = "dpor";
	opts.memory = memory;
	opts.budget = b.runs + 1;
	check(search_program(p, &opts, &f, &stats, &claim) == VTB_SEARCH_EXHAUSTED, p, seed,
	      "it ends, after no more runs than there are interleavings");
	check_outcomes(&f, &b, p, seed);
	check(f.classes == every.classes, p, seed, "the same classes are found");
	check(stats.schedules - claim.blocked == stats.classes, p, seed, "each class has one complete run");
	check(claim.complete && claim.unbounded, p, seed, "it says that it is complete");
	t->programs++;
	t->interleavings += b.runs;
	t->runs += stats.schedules;
	t->blocked += claim.blocked;
}

static void each_class_has_one_run(void **state)
{
	struct totals t = { 0 };

	(void)state;
	for (unsigned seed = 4000; seed < 4000 + CASES(1500); seed++) {
		struct prog p;

		prog_random(&p, seed, seed % 4 == 3 ? 4 : 3, seed % 4 == 3 ? 2 : 4);
		check_program(&p, seed, 0, &t);
	}
	print_message("%llu programs, %llu interleavings, %llu runs, %llu of them blocked\n",
	              (unsigned long long)t.programs, (unsigned long long)t.interleavings, (unsigned long long)t.runs,
	              (unsigned long long)t.blocked);
	assert_true(t.programs > CASES(500) && t.runs * 20 < t.interleavings);
	assert_true(t.blocked * 50 < t.runs);
}

static void without_memory_for_sequences_nothing_is_missed(void **state)
{
	struct totals t = { 0 };

	(void)state;
	for (unsigned seed = 6000; seed < 6000 + CASES(300); seed++) {
		struct prog p;

		prog_random(&p, seed, 3, 4);
		check_program(&p, seed, 1, &t);
	}
	print_message("%llu runs, %llu of them blocked\n", (unsigned long long)t.runs, (unsigned long long)t.blocked);
}

/* ---- a program that does something else when it is not partial-order reduction that runs it */

struct fickle {
	struct vtb_runner runner;
	struct vtb_runner *own;
};

static int run_fickle(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                      struct vtb_exec *execs, struct vtb_error *err)
{
	const int r = vtb_runner_run(((struct fickle *)runner)->own, schedules, n, execs, err);

	for (size_t i = 0; r >= 0 && i < n; i++)
		for (size_t k = 0; schedules[i]->policy != VTB_SCHEDULE_RUN_TO_BLOCK && k < execs[i].n_events; k++)
			if (execs[i].events[k].kind == VTB_E_WRITE)
				execs[i].events[k].kind = VTB_E_ATOMIC_STORE;
	return r;
}

/* ---- many runs at a time */

struct counted {
	struct vtb_runner runner;
	struct vtb_runner *own;
	size_t batch;
	uint64_t calls, runs, order; /* a hash of the runs, in order */
};

static int run_counted(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                       struct vtb_exec *execs, struct vtb_error *err)
{
	struct counted *c = (struct counted *)runner;
	const int r = vtb_runner_run(c->own, schedules, n, execs, err);

	c->calls++;
	c->runs += n;
	for (size_t i = 0; r >= 0 && i < n; i++)
		for (size_t k = 0; k < execs[i].n_events; k++)
			c->order = vtb_mix64(c->order + execs[i].events[k].thread);
	return r;
}

static size_t batch_of_counted(const struct vtb_runner *runner)
{
	return ((const struct counted *)runner)->batch;
}

static void free_nothing(struct vtb_runner *runner)
{
	(void)runner;
}

static const struct vtb_runner_ops fickle_ops = {
	.name = "fickle", .run = run_fickle, .batch = NULL, .free = free_nothing
};

static const struct vtb_runner_ops counted_ops = {
	.name = "counted", .run = run_counted, .batch = batch_of_counted, .free = free_nothing
};

/* Three threads that add three times each: 9! / 3!^3 classes. */
static struct counted count_runs(size_t batch)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on };
	struct mini program = { .n_threads = 4 };
	struct vtb_search_opts opts;
	struct vtb_search *search;
	struct counted c;

	mini_create_all(&program);
	for (int k = 0; k < 9; k++)
		mini_add(&program, 1 + k % 3, (struct mini_instr){ .code = M_ADD, .k = 1 });
	mini_join_all(&program);
	c = (struct counted){ .own = mini_runner(&program), .batch = batch };
	c.runner = (struct vtb_runner){ .ops = &counted_ops, .tab = c.own->tab };
	vtb_search_opts_init(&opts);
	opts.strategy = "dpor";
	assert_int_equal(vtb_strategies_begin(&c.runner, &opts, &search, NULL), 0);
	assert_int_equal(vtb_search_run(search, &calls, NULL), VTB_SEARCH_EXHAUSTED);
	assert_int_equal(vtb_search_stats(search)->schedules, 1680);
	assert_int_equal(vtb_search_stats(search)->classes, 1680);
	vtb_search_free(search);
	vtb_runner_free(c.own);
	return c;
}

static void many_runs_are_asked_for_at_a_time_and_the_same_ones_by_any_runner(void **state)
{
	const struct counted one = count_runs(1), some = count_runs(7), many = count_runs(64);

	(void)state;
	print_message("%llu runs in %llu batches\n", (unsigned long long)many.runs, (unsigned long long)many.calls);
	assert_true(many.calls * 16 < many.runs);
	assert_true(one.order == some.order && one.order == many.order);
}

static void a_portfolio_that_sees_more_classes_withdraws_the_claim(void **state)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on };
	struct mini program = { .n_threads = 4 }, *p = &program;

	(void)state;
	mini_create_all(p);
	for (int t = 1; t <= 3; t++)
		mini_add(p, t, (struct mini_instr){ .code = M_WRITE, .k = t });
	mini_join_all(p);
	for (int fickle = 0; fickle < 2; fickle++) {
		struct vtb_runner *own = mini_runner(p);
		struct fickle f = { { .ops = &fickle_ops, .tab = own->tab }, own };
		struct vtb_search_opts opts;
		struct vtb_search *search;
		struct vtb_claim claim;
		char text[2048];

		vtb_search_opts_init(&opts);
		opts.strategy = "portfolio";
		assert_int_equal(vtb_strategies_begin(fickle ? &f.runner : own, &opts, &search, NULL), 0);
		assert_int_equal(vtb_search_run(search, &calls, NULL), VTB_SEARCH_EXHAUSTED);
		vtb_search_claim(search, &claim);
		assert_int_equal(claim.contradicted, fickle);
		assert_int_equal(claim.complete, !fickle);
		vtb_search_statement(search, text, sizeof(text));
		assert_int_equal(strstr(text, "came to its end after 6 classes, but") != NULL, fickle);
		vtb_search_free(search);
		vtb_runner_free(own);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_class_has_one_run),
		cmocka_unit_test(without_memory_for_sequences_nothing_is_missed),
		cmocka_unit_test(many_runs_are_asked_for_at_a_time_and_the_same_ones_by_any_runner),
		cmocka_unit_test(a_portfolio_that_sees_more_classes_withdraws_the_claim),
	};

	return cmocka_run_group_tests_name("dpor", tests, NULL, NULL);
}
