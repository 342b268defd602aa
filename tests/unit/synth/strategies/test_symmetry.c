/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that look alike stand for each other: what is found does not cost more with more of them, and no failure is
 * lost. */
#include "agree.h"
#include "cases.h"

/* n setters, each x0 = 1, x1 = -1; one checker, the nth thread: both or none. */
static void setters(struct prog *p, int n, int checker)
{
	memset(p, 0, sizeof(*p));
	p->routines = true;
	p->n_threads = n + 2;
	p->n_vars = 2;
	p->n_locks = p->n_conds = 1;
	prog_create_all(p);
	for (int t = 1; t <= n + 1; t++) {
		if (t != checker) {
			prog_add(p, t, (struct prog_instr){ .code = P_WRITE, .obj = 0, .k = 1 });
			prog_add(p, t, (struct prog_instr){ .code = P_WRITE, .obj = 1, .k = -1 });
			continue;
		}
		prog_add(p, t, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
		prog_add(p, t, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 1, .n = 2 });
		prog_add(p, t, (struct prog_instr){ .code = P_READ, .obj = 1, .reg = 1 });
		prog_add(p, t, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 1, .k = -1 });
	}
	prog_join_all(p);
}

/* n writers in two stages, each under its lock; the reader must not see the first without the second. */
static void publication(struct prog *p, int n)
{
	memset(p, 0, sizeof(*p));
	p->routines = true;
	p->n_threads = n + 2;
	p->n_vars = 2;
	p->n_locks = 2;
	p->n_conds = 1;
	prog_create_all(p);
	for (int t = 1; t <= n + 1; t++)
		for (int k = 0; k < 2; k++) {
			prog_add(p, t, (struct prog_instr){ .code = P_LOCK, .obj = k });
			if (t <= n)
				prog_add(p, t, (struct prog_instr){ .code = P_WRITE, .obj = k, .k = k + 1 });
			else
				prog_add(p, t, (struct prog_instr){ .code = P_READ, .obj = k, .reg = k });
			prog_add(p, t, (struct prog_instr){ .code = P_UNLOCK, .obj = k });
		}
	prog_add(p, n + 1, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 1, .n = 1 });
	prog_add(p, n + 1, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 1, .k = 2 });
	prog_join_all(p);
}

static enum vtb_search_reply count(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                                   struct vtb_tuple t, void *data)
{
	(void)s;
	(void)x;
	(void)t;
	*(uint64_t *)data = vtb_search_stats(search)->schedules;
	return VTB_SEARCH_STOP;
}

/* Schedules up to the first that fails; 0: none within `budget`. */
static uint64_t first_failure(const struct prog *p, const char *strategy, bool symmetry, uint64_t budget)
{
	uint64_t found = 0;
	const struct vtb_search_calls calls = { .failing = count, .data = &found };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search_opts opts;
	struct vtb_search *search;

	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.symmetry = symmetry;
	opts.budget = budget;
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	assert_true(vtb_search_run(search, &calls, NULL) >= 0);
	vtb_search_free(search);
	vtb_runner_free(runner);
	return found;
}

static const char *const strategies[] = { "cvt", "portfolio" };

/* The default run is the hunt's own first run there, and counted once. */
static void more_setters_cost_nothing(void **state)
{
	static const int ns[] = { 3, 10, 19 };
	struct prog p;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (int last = 0; last < 2; last++)
			for (size_t k = 0; k < 2; k++) {
				uint64_t n;

				setters(&p, ns[i], last ? ns[i] + 1 : 1);
				n = first_failure(&p, strategies[k], true, 100);
				print_message("%d setters, checker %s, %s: %llu\n", ns[i], last ? "last" : "first",
				              strategies[k], (unsigned long long)n);
				assert_in_range(n, 1, k ? 8 : 6); /* the portfolio begins with aimed schedules */
			}
}

static void without_symmetry_they_cost_more(void **state)
{
	struct prog p;

	(void)state;
	setters(&p, 19, 20);
	assert_int_equal(first_failure(&p, "cvt", false, 100), 0);
}

static void more_writers_cost_nothing(void **state)
{
	struct prog p;

	(void)state;
	for (int n = 2; n <= 19; n++)
		for (size_t k = 0; k < 2; k++) {
			publication(&p, n);
			assert_in_range(first_failure(&p, strategies[k], true, 100), 1, 20);
		}
}

/* ---- nothing is lost */

/* A random program whose threads, but for main and the last, are copies of one. The last looks at what they leave. */
static void alike(struct prog *p, uint64_t seed, int copies)
{
	prog_random(p, seed, copies + 2, copies < 3 ? 4 : 3);
	p->routines = true;
	for (int t = 2; t <= copies; t++)
		p->threads[t] = p->threads[1];
	p->threads[copies + 1].n = 0;
	prog_add(p, copies + 1, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
	prog_add(p, copies + 1, (struct prog_instr){ .code = P_READ, .obj = 1 % p->n_vars, .reg = 1 });
	prog_add(p, copies + 1, (struct prog_instr){ .code = P_ASSERT_SAME, .reg = 0, .reg2 = 1 });
}

static bool fails(const struct brute_outcome *o)
{
	return o->verdict != VTB_V_NONE;
}

static void search_alike(const struct prog *p, bool symmetry, uint32_t c, struct found *f, struct vtb_claim *claim)
{
	struct vtb_search_opts opts;
	struct vtb_search_stats stats;

	vtb_search_opts_init(&opts);
	opts.strategy = "cvt";
	opts.c = opts.v = c;
	opts.symmetry = symmetry;
	assert_int_equal(search_program(p, &opts, f, &stats, claim), VTB_SEARCH_EXHAUSTED);
}

/* Every failure, by routine, that a search of all threads finds, and none that brute force does not know. */
static void compare(int copies, unsigned programs, uint32_t c)
{
	static struct brute all;
	unsigned failures = 0, left_out = 0, lost = 0;

	for (unsigned seed = 0; seed < CASES(programs); seed++) {
		struct vtb_claim claim, other;
		struct found on, off;
		struct prog p;

		alike(&p, seed, copies);
		brute_force(&p, (int)c, 2000000, &all);
		search_alike(&p, true, c, &on, &claim);
		search_alike(&p, false, c, &off, &other);
		assert_int_equal(other.symmetric, 0);
		left_out += claim.symmetric > 0;
		check(!claim.complete, &p, seed, "symmetry never proves");
		check((strstr(claim.text, "assumed") != NULL) == (claim.symmetric > 0), &p, seed,
		      "it says what it rests on");
		for (int i = 0; !all.cut && i < all.n_outcomes; i++) {
			const uint64_t id = all.outcomes[i].id;

			if (!fails(&all.outcomes[i]))
				continue;
			failures++;
			check(has(&on, id) == has(&off, id), &p, seed, "the same failures with symmetry as without");
			lost += !has(&on, id);
		}
	}
	print_message("%u copies, c = %u: %u failures, %u programs with threads left out, %u found neither way\n",
	              copies, c, failures, left_out, lost);
	assert_true(failures >= CASES(20));
	assert_true(copies <= 2 || left_out >= CASES(20));
}

static void two_alike_lose_nothing(void **state)
{
	(void)state;
	compare(2, 50, 2);
}

static void three_alike_lose_nothing(void **state)
{
	(void)state;
	compare(3, 40, 2);
}

/* The third of three copies does something else: from then on it takes part like any other. */
static void who_does_something_else_is_another_class(void **state)
{
	struct vtb_search_opts opts;
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct found f;
	struct prog p;

	(void)state;
	setters(&p, 3, 4);
	for (int t = 0; t < 2;
	     t++) { /* 0: all alike; 1: they part ways by what they read, as early as in the first run */
		vtb_search_opts_init(&opts);
		opts.strategy = "cvt";
		opts.budget = 50;
		search_program(&p, &opts, &f, &stats, &claim);
		assert_int_equal(claim.symmetric, t ? 0 : 1);
		for (int k = 1; k <= 3; k++) {
			struct prog_thread *thread = &p.threads[k];

			thread->n = 0;
			prog_add(&p, k, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
			prog_add(&p, k, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 0, .n = 1 });
			prog_add(&p, k, (struct prog_instr){ .code = P_WRITE, .obj = 0, .k = 1 });
			prog_add(&p, k, (struct prog_instr){ .code = P_WRITE, .obj = 1, .k = -1 });
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_setters_cost_nothing), cmocka_unit_test(without_symmetry_they_cost_more),
		cmocka_unit_test(more_writers_cost_nothing), cmocka_unit_test(two_alike_lose_nothing),
		cmocka_unit_test(three_alike_lose_nothing),  cmocka_unit_test(who_does_something_else_is_another_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
