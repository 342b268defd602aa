/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads-from equivalence against every interleaving of random programs: every failure and every deadlock, and every
 * class once. The classes of all interleavings are found from their events alone, by a walk back from each operation to
 * what it read.
 */
#include "agree.h"

#include "cases.h"
#include "vtb/rng.h"

#define CLASSES_MAX 4096

struct classes {
	uint64_t ids[CLASSES_MAX];
	size_t n;
	uint64_t runs, twice;
};

struct both {
	struct found found;
	struct classes classes;
};

static bool writes_memory(const struct vtb_event *e)
{
	return e->kind == VTB_E_WRITE;
}

static bool reads_from(const struct vtb_event *write, const struct vtb_event *e)
{
	if (e->kind == VTB_E_READ)
		return writes_memory(write) && write->var == e->var;
	return e->kind != VTB_E_WRITE && write->kind != VTB_E_READ && write->kind != VTB_E_WRITE &&
	       write->kind != VTB_E_THREAD_JOIN && write->var == e->var;
}

static uint64_t nth_of_its_thread(const struct vtb_exec *x, size_t i)
{
	uint64_t n = 1000u * (x->events[i].thread + 1u);

	for (size_t k = 0; k <= i; k++)
		n += x->events[k].thread == x->events[i].thread;
	return n;
}

/* A sum over operations: which one, and which one it read from. */
static uint64_t class_of(const struct vtb_exec *x)
{
	uint64_t sum = 1;

	for (size_t i = 0; i < x->n_events; i++) {
		size_t k = i;

		if (x->events[i].kind == VTB_E_FAIL)
			continue;
		while (k > 0 && !reads_from(&x->events[k - 1], &x->events[i]))
			k--;
		sum += vtb_mix64(nth_of_its_thread(x, i) * 100000u + (k ? nth_of_its_thread(x, k - 1) : 0));
	}
	return sum;
}

static void note_class(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                       uint64_t class_id, bool new_class, void *data)
{
	struct both *b = data;
	const uint64_t id = class_of(x);

	note(search, s, x, class_id, new_class, &b->found);
	b->classes.runs++;
	for (size_t i = 0; i < b->classes.n; i++)
		if (b->classes.ids[i] == id) {
			b->classes.twice++;
			return;
		}
	assert_true(b->classes.n < CLASSES_MAX);
	b->classes.ids[b->classes.n++] = id;
}

static void search_both(const struct prog *p, const struct vtb_search_opts *opts, struct both *b,
                        struct vtb_claim *claim)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = note_class, .data = b };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search *search;

	memset(b, 0, sizeof(*b));
	assert_int_equal(vtb_strategies_begin(runner, opts, &search, NULL), 0);
	assert_int_equal(vtb_search_run(search, &calls, NULL), VTB_SEARCH_EXHAUSTED);
	vtb_search_claim(search, claim);
	vtb_search_free(search);
	vtb_runner_free(runner);
}

static bool has_conditions(const struct prog *p)
{
	for (int t = 0; t < p->n_threads; t++)
		for (int i = 0; i < p->threads[t].n; i++)
			if (p->threads[t].code[i].code >= P_WAIT && p->threads[t].code[i].code <= P_BROADCAST)
				return true;
	return false;
}

struct totals {
	uint64_t programs, failures, plain, exact, order, runs;
};

/* Final values that nobody reads are not told apart; failures are. */
static void check_failures(const struct both *b, const struct brute *brute, const struct prog *p, unsigned seed,
                           struct totals *t)
{
	for (int i = 0; i < brute->n_outcomes; i++)
		if (brute->outcomes[i].verdict == VTB_V_ASSERTION) {
			check(has(&b->found, brute->outcomes[i].id), p, seed, "every failure is found");
			t->failures++;
		}
	for (int i = 0; i < b->found.n; i++) {
		bool there = false;

		for (int k = 0; k < brute->n_outcomes; k++)
			there |= brute->outcomes[k].id == b->found.outcomes[i];
		check(there, p, seed, "nothing is found that is not there");
	}
}

static void check_program(const struct prog *p, unsigned seed, struct totals *t)
{
	static struct brute brute;
	static struct both all, order, b;
	struct vtb_search_opts opts;
	struct vtb_claim claim;

	brute_force(p, BRUTE_C, 2000, &brute);
	if (brute.cut)
		return;
	vtb_search_opts_init(&opts);
	opts.strategy = "dfs";
	opts.c = opts.v = BRUTE_C - 1;
	search_both(p, &opts, &all, &claim);
	opts.strategy = "dpor";
	search_both(p, &opts, &order, &claim);
	opts.reads_from = true;
	search_both(p, &opts, &b, &claim);
	check_failures(&b, &brute, p, seed, t);
	check(b.classes.n == all.classes.n, p, seed, "the same classes are found");
	for (size_t i = 0; i < all.classes.n; i++) {
		bool there = false;

		for (size_t k = 0; k < b.classes.n; k++)
			there |= b.classes.ids[k] == all.classes.ids[i];
		check(there, p, seed, "each class is found");
	}
	check(claim.complete, p, seed, "it says that it is complete");
	check(b.classes.runs <= order.classes.runs, p, seed, "no more runs than by order");
	t->programs++;
	t->order += order.classes.runs;
	t->runs += b.classes.runs;
	t->plain += !has_conditions(p);
	t->exact += !has_conditions(p) && b.classes.twice == 0;
}

static void every_class_is_found(void **state)
{
	struct totals t = { 0 };

	(void)state;
	for (unsigned seed = 7000; seed < 7000 + CASES(800); seed++) {
		struct prog p;

		prog_random(&p, seed, seed % 4 == 3 ? 4 : 3, seed % 4 == 3 ? 2 : 4);
		check_program(&p, seed, &t);
	}
	print_message("%llu programs, %llu failures, %llu of %llu without conditions: each class run once; %llu runs, "
	              "%llu by order\n",
	              (unsigned long long)t.programs, (unsigned long long)t.failures, (unsigned long long)t.exact,
	              (unsigned long long)t.plain, (unsigned long long)t.runs, (unsigned long long)t.order);
	assert_true(t.programs > CASES(300) && t.failures > CASES(100) && t.plain > CASES(150) && t.exact == t.plain);
}

/* Writes that race, few reads: what orders are many of and reads-from classes are few. */
static void random_writers(struct prog *p, unsigned seed)
{
	uint64_t rng = seed;

	memset(p, 0, sizeof(*p));
	p->n_vars = p->n_locks = 2;
	p->n_conds = 1;
	p->n_threads = 3;
	prog_create_all(p);
	for (int t = 1; t < p->n_threads; t++)
		for (uint64_t left = 1 + vtb_rng_below(&rng, 3); left > 0; left--) {
			const int var = (int)vtb_rng_below(&rng, 2);

			if (vtb_rng_below(&rng, 3)) {
				prog_add(p, t,
				         (struct prog_instr){ .code = P_WRITE, .obj = var, .k = 2 * t + (int)left });
				continue;
			}
			prog_add(p, t, (struct prog_instr){ .code = P_READ, .obj = var });
			prog_add(p, t, (struct prog_instr){ .code = P_ASSERT_NE, .k = (int)vtb_rng_below(&rng, 9) });
		}
	prog_join_all(p);
	prog_add(p, 0, (struct prog_instr){ .code = P_READ, .obj = 0 });
	prog_add(p, 0, (struct prog_instr){ .code = P_ASSERT_NE, .k = (int)vtb_rng_below(&rng, 9) });
}

static void writes_that_race(void **state)
{
	struct totals t = { 0 };

	(void)state;
	for (unsigned seed = 1; seed <= CASES(400); seed++) {
		struct prog p;

		random_writers(&p, seed);
		check_program(&p, seed, &t);
	}
	print_message("%llu programs, %llu failures; %llu runs, %llu by order\n", (unsigned long long)t.programs,
	              (unsigned long long)t.failures, (unsigned long long)t.runs, (unsigned long long)t.order);
	assert_true(t.programs > CASES(100) && t.failures > CASES(100) && t.exact == t.plain && t.runs < t.order);
}

static uint64_t factorial(uint64_t n)
{
	return n ? n * factorial(n - 1) : 1;
}

/* n threads write different values to x; a reader beside them, or main after the join. */
static void writers(struct prog *p, int n, bool joined)
{
	memset(p, 0, sizeof(*p));
	p->n_vars = p->n_locks = p->n_conds = 1;
	p->n_threads = 1 + n + !joined;
	prog_create_all(p);
	for (int t = 1; t <= n; t++)
		prog_add(p, t, (struct prog_instr){ .code = P_WRITE, .obj = 0, .k = t });
	if (!joined)
		prog_add(p, n + 1, (struct prog_instr){ .code = P_READ, .obj = 0 });
	prog_join_all(p);
	if (joined)
		prog_add(p, 0, (struct prog_instr){ .code = P_READ, .obj = 0 });
}

static void writers_and_a_reader(void **state)
{
	(void)state;
	for (int n = 1; n <= 4; n++)
		for (int joined = 0; joined < 2; joined++) {
			static struct both b;
			struct vtb_search_opts opts;
			struct vtb_claim claim;
			struct prog p;

			writers(&p, n, joined);
			vtb_search_opts_init(&opts);
			opts.strategy = "dpor";
			search_both(&p, &opts, &b, &claim);
			assert_int_equal(b.classes.runs, factorial((uint64_t)n + !joined));
			opts.reads_from = true;
			search_both(&p, &opts, &b, &claim);
			assert_int_equal(b.classes.runs, n + !joined);
			assert_true(claim.complete);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writers_and_a_reader),
		cmocka_unit_test(every_class_is_found),
		cmocka_unit_test(writes_that_race),
	};

	return cmocka_run_group_tests_name("reads_from", tests, NULL, NULL);
}
