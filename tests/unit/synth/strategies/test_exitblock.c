/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Atomic blocks: how many orders there are, that they show everything where the discipline is kept, and the errors they
 * must find. */
#include "agree.h"
#include "cases.h"
#include "vtb/rng.h"

static int search_blocks(const struct prog *p, bool rw, struct found *f, struct vtb_search_stats *stats,
                         struct vtb_claim *claim)
{
	struct vtb_search_opts opts;

	vtb_search_opts_init(&opts);
	opts.strategy = "exitblock";
	opts.rw = rw;
	opts.budget = 1000000;
	return search_program(p, &opts, f, stats, claim);
}

static void clear(struct prog *p, int n_threads, int n_vars, int n_locks)
{
	memset(p, 0, sizeof(*p));
	p->n_threads = n_threads;
	p->n_vars = n_vars;
	p->n_locks = n_locks;
	p->n_conds = 1;
	prog_create_all(p);
}

static void add(struct prog *p, int t, enum prog_code code, int obj)
{
	prog_add(p, t, (struct prog_instr){ .code = code, .obj = obj, .reg = 1, .k = 1 });
}

static void locked_store(struct prog *p, int t, int lock, int var)
{
	add(p, t, P_LOCK, lock);
	add(p, t, P_STORE, var);
	add(p, t, P_UNLOCK, lock);
}

/* ---- how many */

/* k workers with n lock regions each; their own locks, or one for all. */
static void workers(struct prog *p, int k, int n, bool own)
{
	clear(p, k + 1, k < PROG_VARS ? k : PROG_VARS, k < PROG_LOCKS ? k : PROG_LOCKS);
	for (int t = 1; t <= k; t++)
		for (int i = 0; i < n; i++)
			locked_store(p, t, own ? t - 1 : 0, own ? t - 1 : 0);
	prog_join_all(p);
}

static uint64_t choose(uint64_t n, uint64_t k)
{
	uint64_t c = 1;

	for (uint64_t i = 1; i <= k; i++)
		c = c * (n - k + i) / i;
	return c;
}

static void check_orders(int k, int n)
{
	uint64_t orders = 1, started = 1;
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	struct found f;
	struct prog p;

	for (int i = 0; i < k; i++)
		orders *= choose((uint64_t)((k - i) * n), (uint64_t)n);
	for (int i = 1; i < k; i++)
		started *= (uint64_t)n + 1;
	workers(&p, k, n, false);
	assert_int_equal(search_blocks(&p, false, &f, &stats, &claim), VTB_SEARCH_EXHAUSTED);
	assert_int_equal(stats.schedules, orders);
	assert_int_equal(claim.blocked, 0);
	assert_non_null(strstr(claim.text, "no other behaviour"));
	if (k > PROG_LOCKS)
		return;
	workers(&p, k, n, true);
	assert_int_equal(search_blocks(&p, true, &f, &stats, &claim), VTB_SEARCH_EXHAUSTED);
	assert_int_equal(stats.schedules, started);
	assert_int_equal(stats.schedules - claim.blocked, 1);
}

#ifdef VTB_TEST_LONG
static void the_number_of_orders_is_as_computed(void **state)
{
	(void)state;
	for (int n = 4; n <= 5; n++)
		check_orders(3, n);
	check_orders(4, 3);
}
#else
#define DISCIPLINED 300
static void the_number_of_orders_is_as_computed(void **state)
{
	(void)state;
	for (int n = 1; n <= 6; n++)
		check_orders(2, n);
	for (int n = 1; n <= 3; n++)
		check_orders(3, n);
	check_orders(4, 1);
	check_orders(4, 2);
}
#endif

/* ---- programs that keep the discipline: variable i only under lock i */

static void random_region(struct prog *p, int t, uint64_t *rng)
{
	const int a = (int)vtb_rng_below(rng, (uint64_t)p->n_vars), b = (int)vtb_rng_below(rng, (uint64_t)p->n_vars);

	add(p, t, P_LOCK, a);
	add(p, t, P_READ, a);
	if (b != a && (b > a || vtb_rng_below(rng, 3) == 0)) { /* an inner region; sometimes the locks make a circle */
		add(p, t, P_LOCK, b);
		prog_add(p, t,
		         (struct prog_instr){ .code = P_STORE, .obj = b, .reg = 1, .k = (int)vtb_rng_below(rng, 3) });
		add(p, t, P_UNLOCK, b);
	}
	prog_add(p, t, (struct prog_instr){ .code = P_STORE, .obj = a, .reg = vtb_rng_below(rng, 2) ? 1 : 2, .k = t });
	if (vtb_rng_below(rng, 3) == 0)
		add(p, t, P_SIGNAL, 0);
	else if (vtb_rng_below(rng, 4) == 0)
		prog_add(p, t, (struct prog_instr){ .code = P_WAIT, .obj = 0, .lock = a });
	add(p, t, P_UNLOCK, a);
}

static void disciplined(struct prog *p, uint64_t seed)
{
	uint64_t rng = vtb_mix64(seed + 1);
	const int n_threads = 3 + (int)vtb_rng_below(&rng, 2);

	clear(p, n_threads, 2 + (int)vtb_rng_below(&rng, 2), PROG_LOCKS);
	for (int t = 1; t < n_threads; t++)
		for (int n = 1 + (int)vtb_rng_below(&rng, n_threads == 3 ? 2 : 1); n > 0; n--)
			random_region(p, t, &rng);
	prog_join_all(p);
}

static void where_the_discipline_is_kept_every_outcome_is_found(void **state)
{
	static struct brute b;
	uint64_t all = 0, plain = 0, rw = 0, compared = 0;

	(void)state;
	for (unsigned seed = 0; seed < CASES(DISCIPLINED); seed++) {
		struct vtb_search_stats stats;
		struct vtb_claim claim;
		struct found f;
		struct prog p;

		disciplined(&p, seed);
		brute_force(&p, BRUTE_C, 30000, &b);
		if (b.cut)
			continue;
		compared++;
		all += b.runs;
		search_blocks(&p, false, &f, &stats, &claim);
		check_outcomes(&f, &b, &p, seed);
		check(strstr(claim.text, "no other behaviour"), &p, seed, "it says that there is nothing else");
		plain += stats.schedules;
		search_blocks(&p, true, &f, &stats, &claim);
		check_outcomes(&f, &b, &p, seed);
		rw += stats.schedules;
	}
	print_message("%llu programs, %llu interleavings, %llu runs, with --rw %llu\n", (unsigned long long)compared,
	              (unsigned long long)all, (unsigned long long)plain, (unsigned long long)rw);
	assert_true(compared > CASES(DISCIPLINED) / 5 && plain * 10 < all && rw < plain);
}

#ifndef VTB_TEST_LONG
/* ---- trusted functions */

static uint64_t orders_with_trust(int regions_in_library, const char *trusted, struct vtb_claim *claim)
{
	struct vtb_search_opts opts;
	struct vtb_search_stats stats;
	struct found f;
	struct prog p;

	workers(&p, 2, 3, false);
	p.library = 3 * regions_in_library;
	vtb_search_opts_init(&opts);
	opts.strategy = "exitblock";
	opts.trusted = trusted;
	assert_int_equal(search_program(&p, &opts, &f, &stats, claim), VTB_SEARCH_EXHAUSTED);
	assert_int_equal(f.n, 1);
	return stats.schedules;
}

static void no_block_ends_in_a_trusted_function(void **state)
{
	struct vtb_claim claim;

	(void)state;
	assert_int_equal(orders_with_trust(1, NULL, &claim), choose(6, 3));
	assert_null(strstr(claim.text, "trusted"));
	assert_int_equal(orders_with_trust(1, "library", &claim), choose(4, 2)); /* two of the three exits are left */
	assert_non_null(strstr(claim.text, "trusted"));
	assert_int_equal(orders_with_trust(2, "library", &claim), choose(2, 1));
	assert_int_equal(orders_with_trust(2, "other,library", &claim), choose(2, 1));
	assert_int_equal(orders_with_trust(2, "lib,librarys,", &claim), choose(6, 3)); /* whole names */
}

/* ---- the errors of section 7 */

static enum vtb_search_reply keep_verdict(struct vtb_search *search, const struct vtb_schedule *s,
                                          const struct vtb_exec *x, struct vtb_tuple t, void *data)
{
	(void)search;
	(void)s;
	(void)t;
	*(enum vtb_verdict *)data = x->outcome.verdict;
	return VTB_SEARCH_STOP;
}

static uint64_t runs_until_failure(const struct prog *p, bool rw, enum vtb_verdict *ret_verdict)
{
	const struct vtb_search_calls calls = { .failing = keep_verdict, .data = ret_verdict };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search_opts opts;
	struct vtb_search *search;
	uint64_t runs;

	vtb_search_opts_init(&opts);
	opts.strategy = "exitblock";
	opts.rw = rw;
	opts.budget = 10000;
	*ret_verdict = VTB_V_NONE;
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	runs = vtb_search_run(search, &calls, NULL) == VTB_SEARCH_FOUND ? vtb_search_stats(search)->schedules : 0;
	vtb_search_free(search);
	vtb_runner_free(runner);
	return runs;
}

static void find_error(const struct prog *p, uint64_t most, enum vtb_verdict first, enum vtb_verdict last)
{
	for (int rw = 0; rw < 2; rw++) {
		enum vtb_verdict verdict;
		const uint64_t runs = runs_until_failure(p, rw, &verdict);

		assert_in_range(runs, 1, most);
		assert_true(verdict == first || verdict == last);
	}
}

/* Read and write in two regions of one lock. */
static void a_split_critical_section_is_found_by_the_third_run(void **state)
{
	struct prog p;

	(void)state;
	clear(&p, 3, 1, 1);
	for (int t = 1; t < 3; t++) {
		add(&p, t, P_LOCK, 0);
		add(&p, t, P_READ, 0);
		add(&p, t, P_UNLOCK, 0);
		locked_store(&p, t, 0, 0);
	}
	prog_join_all(&p);
	add(&p, 0, P_READ, 0);
	prog_add(&p, 0, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 1, .k = 2 });
	find_error(&p, 3, VTB_V_ASSERTION, VTB_V_ASSERTION);
}

/* Two threads wait for a flag, under `if`; what follows is theirs to do. */
static void add_waiters(struct prog *p)
{
	for (int t = 1; t < 3; t++) {
		add(p, t, P_LOCK, 0);
		add(p, t, P_READ, 0);
		prog_add(p, t, (struct prog_instr){ .code = P_SKIP, .reg = 1, .k = 0, .n = 1 });
		add(p, t, P_WAIT, 0);
	}
}

/* Both are woken, one takes the item first. */
static void an_if_around_a_wait_is_found(void **state)
{
	struct prog p;

	(void)state;
	clear(&p, 4, 1, 1);
	add_waiters(&p);
	for (int t = 1; t < 3; t++) {
		add(&p, t, P_READ, 0);
		prog_add(&p, t, (struct prog_instr){ .code = P_ASSERT_NE, .reg = 1, .k = 0 });
		prog_add(&p, t, (struct prog_instr){ .code = P_WRITE });
		add(&p, t, P_UNLOCK, 0);
	}
	add(&p, 3, P_LOCK, 0);
	add(&p, 3, P_WRITE, 0);
	add(&p, 3, P_BROADCAST, 0);
	add(&p, 3, P_UNLOCK, 0);
	prog_join_all(&p);
	find_error(&p, 50, VTB_V_ASSERTION, VTB_V_CONDITION_DEADLOCK);
}

static void a_signal_that_should_be_a_broadcast_is_found(void **state)
{
	struct prog p;

	(void)state;
	clear(&p, 4, 1, 1);
	add_waiters(&p);
	for (int t = 1; t < 3; t++)
		add(&p, t, P_UNLOCK, 0);
	add(&p, 3, P_LOCK, 0);
	add(&p, 3, P_WRITE, 0);
	add(&p, 3, P_SIGNAL, 0);
	add(&p, 3, P_UNLOCK, 0);
	prog_join_all(&p);
	find_error(&p, 50, VTB_V_LOST_WAKEUP, VTB_V_CONDITION_DEADLOCK);
}

/* The flag is read in one region, waited for in another: set in between, the signal is lost. */
static void a_condition_deadlock_is_found(void **state)
{
	struct prog p;

	(void)state;
	clear(&p, 3, 1, 1);
	add(&p, 1, P_LOCK, 0);
	add(&p, 1, P_READ, 0);
	add(&p, 1, P_UNLOCK, 0);
	prog_add(&p, 1, (struct prog_instr){ .code = P_SKIP, .reg = 1, .k = 0, .n = 3 });
	add(&p, 1, P_LOCK, 0);
	add(&p, 1, P_WAIT, 0);
	add(&p, 1, P_UNLOCK, 0);
	add(&p, 2, P_LOCK, 0);
	add(&p, 2, P_WRITE, 0);
	add(&p, 2, P_SIGNAL, 0);
	add(&p, 2, P_UNLOCK, 0);
	prog_join_all(&p);
	find_error(&p, 10, VTB_V_LOST_WAKEUP, VTB_V_CONDITION_DEADLOCK);
}

/* Without a lock only if the other was first. */
static void a_break_of_the_discipline_in_some_orders_is_reported(void **state)
{
	(void)state;
	for (int rw = 0; rw < 2; rw++) {
		struct vtb_search_stats stats;
		struct vtb_claim claim;
		struct found f;
		struct prog p;

		clear(&p, 3, 2, 1);
		locked_store(&p, 1, 0, 0);
		locked_store(&p, 1, 0, 1);
		add(&p, 2, P_LOCK, 0);
		add(&p, 2, P_READ, 0);
		add(&p, 2, P_UNLOCK, 0);
		prog_add(&p, 2, (struct prog_instr){ .code = P_SKIP, .reg = 1, .k = 1, .n = 1 });
		add(&p, 2, P_WRITE, 1);
		prog_join_all(&p);
		search_blocks(&p, rw, &f, &stats, &claim);
		assert_non_null(strstr(claim.text, "x1 in thread"));
		assert_non_null(strstr(claim.text, "without a common lock"));
		assert_false(claim.complete);
	}
}

static void a_circle_of_locks_is_found(void **state)
{
	struct prog p;

	(void)state;
	clear(&p, 3, 1, 2);
	for (int t = 1; t < 3; t++) {
		add(&p, t, P_LOCK, t - 1);
		add(&p, t, P_LOCK, 2 - t);
		add(&p, t, P_UNLOCK, 2 - t);
		add(&p, t, P_UNLOCK, t - 1);
	}
	prog_join_all(&p);
	find_error(&p, 10, VTB_V_DEADLOCK, VTB_V_DEADLOCK);
}
#endif

/* Who tries a lock sees the inside of another thread's block: that is another behaviour, and no order of blocks shows
 * it. */
static void a_trylock_sees_into_blocks(void **state)
{
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	static struct brute b;
	struct found f;
	struct prog p;

	(void)state;
	memset(&p, 0, sizeof(p));
	p.n_threads = 2;
	p.n_vars = p.n_locks = p.n_conds = 1;
	prog_create_all(&p);
	prog_add(&p, 1, (struct prog_instr){ .code = P_LOCK });
	prog_add(&p, 1, (struct prog_instr){ .code = P_WRITE, .k = 1 });
	prog_add(&p, 1, (struct prog_instr){ .code = P_UNLOCK });
	prog_add(&p, 0, (struct prog_instr){ .code = P_TRYLOCK, .reg = 0 });
	prog_add(&p, 0, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 0 });
	prog_add(&p, 0, (struct prog_instr){ .code = P_UNLOCK });
	prog_join_all(&p);
	brute_force(&p, BRUTE_C, 2000, &b);
	for (int rw = 0; rw < 2; rw++) {
		search_blocks(&p, rw, &f, &stats, &claim);
		assert_true(f.n < b.n_outcomes && stats.failing == 0); /* it was not seen */
		assert_null(strstr(claim.text, "there is no other behaviour"));
		assert_non_null(strstr(claim.text, "trylock"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trylock_sees_into_blocks),
		cmocka_unit_test(the_number_of_orders_is_as_computed),
		cmocka_unit_test(where_the_discipline_is_kept_every_outcome_is_found),
#ifndef VTB_TEST_LONG
		cmocka_unit_test(no_block_ends_in_a_trusted_function),
		cmocka_unit_test(a_split_critical_section_is_found_by_the_third_run),
		cmocka_unit_test(an_if_around_a_wait_is_found),
		cmocka_unit_test(a_signal_that_should_be_a_broadcast_is_found),
		cmocka_unit_test(a_condition_deadlock_is_found),
		cmocka_unit_test(a_break_of_the_discipline_in_some_orders_is_reported),
		cmocka_unit_test(a_circle_of_locks_is_found),
#endif
	};

	return cmocka_run_group_tests_name("exitblock", tests, NULL, NULL);
}
