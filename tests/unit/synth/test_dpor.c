/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Partial-order reduction against every interleaving of random programs: the same classes and outcomes, each class once. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prog.h"
#include "vtb/search.h"
#include "vtb/wire.h"

struct found {
	uint64_t outcomes[BRUTE_OUTCOMES];
	int n;
	bool diverged;
	uint64_t classes; /* a sum over the distinct ones */
};

static void note(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id, bool new_class, void *data)
{
	struct found *f = data;
	int i;

	(void)search;
	(void)s;
	f->classes += new_class ? class_id : 0;
	f->diverged |= (x->outcome.flags & VTB_OUT_DIVERGED) != 0;
	for (i = 0; i < f->n && f->outcomes[i] != x->outcome.output_hash; i++)
		;
	if (i == f->n)
		f->outcomes[f->n++] = x->outcome.output_hash;
}

static enum vtb_search_reply go_on(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, struct vtb_tuple t, void *data)
{
	(void)search;
	(void)s;
	(void)x;
	(void)t;
	(void)data;
	return VTB_SEARCH_GO_ON;
}

static int search_program(const struct prog *p, const struct vtb_search_opts *opts, struct found *f, struct vtb_search_stats *stats, struct vtb_claim *claim)
{
	const struct vtb_search_calls calls = { .failing = go_on, .executed = note, .data = f };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search *search;
	int r;

	memset(f, 0, sizeof(*f));
	assert_int_equal(vtb_search_new(runner, opts, &search, NULL), 0);
	r = vtb_search_run(search, &calls, NULL);
	*stats = *vtb_search_stats(search);
	vtb_search_claim(search, claim);
	vtb_search_free(search);
	vtb_runner_free(runner);
	return r;
}

static void check(bool ok, const struct prog *p, unsigned seed, const char *what)
{
	if (ok)
		return;
	prog_print(p);
	fail_msg("program %u: %s", seed, what);
}

static bool has(const struct found *f, uint64_t outcome)
{
	for (int i = 0; i < f->n; i++)
		if (f->outcomes[i] == outcome)
			return true;
	return false;
}

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
	for (int i = 0; i < b.n_outcomes; i++)
		check(has(&f, b.outcomes[i].id), p, seed, "every outcome is found");
	check(f.n == b.n_outcomes, p, seed, "and no other");
	check(f.classes == every.classes, p, seed, "the same classes are found");
	check(stats.schedules - claim.blocked == stats.classes, p, seed, "each class has one complete run");
	check(claim.complete && claim.unbounded, p, seed, "it says that it is complete");
	check(!f.diverged, p, seed, "schedules are followed");
	t->programs++;
	t->interleavings += b.runs;
	t->runs += stats.schedules;
	t->blocked += claim.blocked;
}

static void each_class_has_one_run(void **state)
{
	struct totals t = { 0 };

	(void)state;
	for (unsigned seed = 4000; seed < 5500; seed++) {
		struct prog p;

		prog_random(&p, seed, seed % 4 == 3 ? 4 : 3, seed % 4 == 3 ? 2 : 4);
		check_program(&p, seed, 0, &t);
	}
	print_message("%llu programs, %llu interleavings, %llu runs, %llu of them blocked\n", (unsigned long long)t.programs,
		      (unsigned long long)t.interleavings, (unsigned long long)t.runs, (unsigned long long)t.blocked);
	assert_true(t.programs > 500 && t.runs * 20 < t.interleavings);
	assert_true(t.blocked * 50 < t.runs);
}

static void without_memory_for_sequences_nothing_is_missed(void **state)
{
	struct totals t = { 0 };

	(void)state;
	for (unsigned seed = 6000; seed < 6300; seed++) {
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
