/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Partial-order reduction against every interleaving of random programs: the same classes and outcomes, each class once. */
#include "agree.h"
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
	check(search_program(p, &opts, &f, &stats, &claim) == VTB_SEARCH_EXHAUSTED, p, seed, "it ends, after no more runs than there are interleavings");
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
	print_message("%llu programs, %llu interleavings, %llu runs, %llu of them blocked\n", (unsigned long long)t.programs,
		      (unsigned long long)t.interleavings, (unsigned long long)t.runs, (unsigned long long)t.blocked);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_class_has_one_run),
		cmocka_unit_test(without_memory_for_sequences_nothing_is_missed),
	};

	return cmocka_run_group_tests_name("dpor", tests, NULL, NULL);
}
