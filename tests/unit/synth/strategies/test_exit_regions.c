/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks that end early: with ops:1 every order of operations is run, whether a discipline is kept or not. */
#include "agree.h"
#include "cases.h"
#include "vtb/rng.h"

static int search_regions(const struct prog *p, const char *region, bool rw, struct found *f,
                          struct vtb_search_stats *stats)
{
	struct vtb_search_opts opts;
	struct vtb_claim claim;

	vtb_search_opts_init(&opts);
	opts.strategy = "exitblock";
	opts.region = region;
	opts.rw = rw;
	opts.budget = 1000000;
	return search_program(p, &opts, f, stats, &claim);
}

static void add(struct prog *p, int t, enum prog_code code, int obj, int k)
{
	prog_add(p, t, (struct prog_instr){ .code = code, .obj = obj, .reg = 1, .k = k });
}

static void clear(struct prog *p, int n_threads)
{
	memset(p, 0, sizeof(*p));
	p->n_threads = n_threads;
	p->n_vars = p->n_locks = 2;
	p->n_conds = 1;
	prog_create_all(p);
}

/* One access of three is locked. */
static void undisciplined(struct prog *p, uint64_t seed)
{
	uint64_t rng = vtb_mix64(seed + 77);
	const int n_threads = 3 + (int)vtb_rng_below(&rng, 2);

	clear(p, n_threads);
	for (int t = 1; t < n_threads; t++)
		for (int n = 0; n < (n_threads == 3 ? 3 : 2); n++) {
			static const enum prog_code codes[] = { P_READ, P_WRITE, P_STORE };
			const int var = (int)vtb_rng_below(&rng, 2), code = (int)vtb_rng_below(&rng, 3);
			const bool locked = vtb_rng_below(&rng, 3) == 0;

			if (locked)
				add(p, t, P_LOCK, var, 0);
			add(p, t, codes[code], var, t * 10 + n);
			if (locked)
				add(p, t, P_UNLOCK, var, 0);
		}
	prog_join_all(p);
}

static int missed(const struct found *f, const struct brute *b)
{
	int n = 0;

	for (int i = 0; i < b->n_outcomes; i++)
		n += !has(f, b->outcomes[i].id);
	return n;
}

static void with_one_operation_a_block_every_outcome_is_found(void **state)
{
	static struct brute b;
	unsigned compared = 0, missed_without = 0;

	(void)state;
	for (unsigned seed = 0; seed < CASES(200); seed++) {
		struct vtb_search_stats stats;
		struct found f;
		struct prog p;

		undisciplined(&p, seed);
		brute_force(&p, BRUTE_C, 30000, &b);
		if (b.cut)
			continue;
		compared++;
		for (int rw = 0; rw < 2; rw++) {
			search_regions(&p, "ops:1", rw, &f, &stats);
			if (missed(&f, &b))
				prog_print(&p);
			assert_int_equal(missed(&f, &b), 0);
		}
		search_regions(&p, NULL, false, &f, &stats);
		missed_without += missed(&f, &b) > 0;
	}
	print_message("%u programs; blocks that end at locks only miss outcomes of %u\n", compared, missed_without);
	assert_true(compared >= CASES(60) && missed_without >= compared / 4);
}

/* Two threads with n stores each under one lock; the first `library` instructions are another module's. */
static uint64_t orders_of(int n, int library, const char *region)
{
	struct vtb_search_stats stats;
	struct found f;
	struct prog p;

	clear(&p, 3);
	p.library = library;
	for (int t = 1; t < 3; t++)
		for (int i = 0; i < n; i++)
			add(&p, t, P_STORE, 0, t);
	prog_join_all(&p);
	assert_int_equal(search_regions(&p, region, false, &f, &stats), VTB_SEARCH_EXHAUSTED);
	return stats.schedules;
}

static void longer_blocks_have_fewer_orders(void **state)
{
	const uint64_t whole = orders_of(6, 0, NULL);
	uint64_t before = orders_of(6, 0, "ops:1");

	(void)state;
	assert_int_equal(whole, orders_of(6, 0, "ops:1000000"));
	for (int n = 2; n <= 3; n++) {
		char region[16];
		uint64_t orders;

		snprintf(region, sizeof(region), "ops:%d", n);
		orders = orders_of(6, 0, region);
		assert_true(whole < orders && orders < before);
		before = orders;
	}
}

static void a_block_ends_where_a_module_is_left(void **state)
{
	(void)state;
	assert_int_equal(orders_of(4, 0, "module"), orders_of(4, 0, NULL)); /* nothing is left */
	assert_true(orders_of(4, 2, "module") > orders_of(4, 2, NULL));
	assert_int_equal(orders_of(4, 2, "module"), orders_of(4, 2, "module,ops:1000"));
	assert_int_equal(orders_of(4, 2, "module,ops:1"), orders_of(4, 2, "ops:1"));
}

static void what_is_no_region_is_refused(void **state)
{
	static const char *const bad[] = { "",        "ops",     "ops:",        "ops:0",
		                           "ops:-1",  "ops:1x",  "module:",     "modules",
		                           "module,", ",module", "ops:1000001", "ops:9999999999999999999" };
	struct vtb_search_opts opts;
	struct vtb_error err;

	(void)state;
	vtb_search_opts_init(&opts);
	opts.strategy = "exitblock";
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		opts.region = bad[i];
		assert_int_equal(vtb_strategies_check(&opts, &err), -EINVAL);
		assert_non_null(strstr(err.text, "expected ops:N"));
	}
	opts.region = "module,ops:7";
	assert_int_equal(vtb_strategies_check(&opts, &err), 0);
	opts.strategy = "cvt";
	assert_int_equal(vtb_strategies_check(&opts, &err), -EINVAL);
	assert_non_null(strstr(err.text, "for the strategy exitblock"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_one_operation_a_block_every_outcome_is_found),
		cmocka_unit_test(longer_blocks_have_fewer_orders),
		cmocka_unit_test(a_block_ends_where_a_module_is_left),
		cmocka_unit_test(what_is_no_region_is_refused),
	};

	return cmocka_run_group_tests_name("exit_regions", tests, NULL, NULL);
}
