/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predicate dependence against partial-order reduction without it: the same failures, in fewer runs. */
#include "agree.h"

#include "cases.h"
#include "prog_slice.h"
#include "vtb/rng.h"

/* How it is pruned. */
struct how {
	bool prune, peek, only_assertions, reads_from;
};

struct failures {
	uint64_t ids[BRUTE_OUTCOMES];
	int n;
	bool only_assertions;
	uint64_t runs;
};

static bool has_failure(const struct failures *f, uint64_t id)
{
	for (int i = 0; i < f->n; i++)
		if (f->ids[i] == id)
			return true;
	return false;
}

/* An assertion: which one. A deadlock: who stands where. */
static uint64_t failure_of(const struct vtb_exec *x)
{
	uint64_t h = 1;

	if (x->outcome.verdict == VTB_V_ASSERTION)
		return x->outcome.output_hash;
	for (size_t i = 0; i < x->n_pending; i++)
		h += vtb_mix64((uint64_t)x->pending[i].thread << 32 ^ x->pending[i].site);
	return h;
}

static void note_failure(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                         uint64_t class_id, bool new_class, void *data)
{
	struct failures *f = data;

	(void)search;
	(void)s;
	(void)class_id;
	(void)new_class;
	f->runs++;
	if (x->outcome.verdict == VTB_V_NONE || (f->only_assertions && x->outcome.verdict != VTB_V_ASSERTION))
		return;
	if (!has_failure(f, failure_of(x)) && f->n < BRUTE_OUTCOMES)
		f->ids[f->n++] = failure_of(x);
}

static int search_failures(const struct prog *p, struct vtb_predicate *predicate, bool reads_from, uint64_t budget,
                           struct failures *f, struct vtb_claim *claim)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = note_failure, .data = f };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search_opts opts;
	struct vtb_search *search;
	int r;

	vtb_search_opts_init(&opts);
	opts.strategy = "dpor";
	opts.predicate = predicate;
	opts.reads_from = reads_from;
	opts.budget = budget;
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	r = vtb_search_run(search, &calls, NULL);
	vtb_search_claim(search, claim);
	vtb_search_free(search);
	vtb_runner_free(runner);
	return r;
}

struct totals {
	uint64_t programs, failing, all, pruned, fewer, more, gave_up;
};

static struct vtb_predicate *new_predicate(struct prog_slice *slice, const struct prog *p, struct how how)
{
	const struct vtb_predicate_opts opts = { .peek = how.peek };
	struct vtb_predicate_source source;
	struct vtb_predicate *predicate;

	prog_slice_init(slice, p, how.only_assertions);
	prog_slice_source(slice, &source);
	assert_int_equal(vtb_predicate_new(&source, &opts, &predicate), 0);
	return predicate;
}

static void check_pruning(const struct prog *p, unsigned seed, struct how how, struct totals *t)
{
	struct failures all = { .only_assertions = how.only_assertions }, pruned = all;
	struct vtb_claim claim;
	struct prog_slice slice;
	struct vtb_predicate *predicate;
	struct vtb_predicate_counts counts;

	if (search_failures(p, NULL, false, 20000, &all, &claim) != VTB_SEARCH_EXHAUSTED)
		return;
	predicate = new_predicate(&slice, p, how);
	check(search_failures(p, predicate, how.reads_from, 8 * all.runs + 1000, &pruned, &claim) ==
	          VTB_SEARCH_EXHAUSTED,
	      p, seed, "it ends");
	for (int i = 0; i < all.n; i++)
		check(has_failure(&pruned, all.ids[i]), p, seed, "every failure is found");
	check(pruned.n == all.n, p, seed, "and no other");
	check(claim.complete, p, seed, "it says that it is complete");
	vtb_predicate_count(predicate, &counts);
	vtb_predicate_free(predicate);
	t->programs++;
	t->failing += all.n > 0;
	t->all += all.runs;
	t->pruned += pruned.runs;
	t->fewer += pruned.runs < all.runs;
	t->more += pruned.runs > all.runs;
	t->gave_up += counts.gave_up;
}

static void check_many(unsigned first, unsigned n, struct how how)
{
	struct totals t = { 0 };

	n = getenv("VTB_PROGRAMS") ? (unsigned)atoi(getenv("VTB_PROGRAMS")) : n;
	for (unsigned seed = first; seed < first + n; seed++) {
		struct prog p;

		prog_random(&p, seed, seed % 4 == 3 ? 4 : 3, seed % 4 == 3 ? 3 : 6);
		check_pruning(&p, seed, how, &t);
	}
	print_message("%llu programs, %llu of them can fail: %llu runs, %llu when pruned (fewer in %llu, more in %llu; "
	              "given up in %llu)\n",
	              (unsigned long long)t.programs, (unsigned long long)t.failing, (unsigned long long)t.all,
	              (unsigned long long)t.pruned, (unsigned long long)t.fewer, (unsigned long long)t.more,
	              (unsigned long long)t.gave_up);
	assert_true(t.programs > n / 2 && t.failing > n / 8 && t.pruned * 3 < t.all * 2);
}

static void pruning_loses_no_failure(void **state)
{
	(void)state;
	check_many(20000, CASES(400), (struct how){ .prune = true });
}

static void neither_does_peeking(void **state)
{
	(void)state;
	check_many(30000, CASES(400), (struct how){ .prune = true, .peek = true });
}

static void nor_is_an_assertion_lost_where_only_these_count(void **state)
{
	(void)state;
	check_many(40000, CASES(400), (struct how){ .prune = true, .peek = true, .only_assertions = true });
}

static void nor_with_runs_that_are_put_together(void **state)
{
	(void)state;
	check_many(50000, CASES(400), (struct how){ .prune = true, .peek = true, .reads_from = true });
}

/* ---- counts that are known */

static const struct how plain, pruned = { .prune = true }, peeked = { .prune = true, .peek = true },
                               only = { .prune = true, .peek = true, .only_assertions = true },
                               observed = { .prune = true, .peek = true, .reads_from = true };

static uint64_t runs_of(const struct prog *p, struct how how)
{
	struct failures f = { 0 };
	struct vtb_claim claim;
	struct prog_slice slice;
	struct vtb_predicate *predicate = how.prune ? new_predicate(&slice, p, how) : NULL;

	assert_int_equal(search_failures(p, predicate, how.reads_from, 0, &f, &claim), VTB_SEARCH_EXHAUSTED);
	assert_true(claim.complete);
	vtb_predicate_free(predicate);
	return f.runs;
}

static void begin_pair(struct prog *p, int n_vars)
{
	memset(p, 0, sizeof(*p));
	p->n_threads = 3;
	p->n_vars = n_vars;
	p->n_locks = 1;
	prog_create_all(p);
}

static void two_halves_under_one_lock_are_one_run(void **state)
{
	struct prog p;

	(void)state;
	begin_pair(&p, 2);
	for (int t = 1; t <= 2; t++)
		for (int i = 0; i < 8; i++) {
			prog_add(&p, t, (struct prog_instr){ .code = P_LOCK });
			prog_add(&p, t, (struct prog_instr){ .code = P_WRITE, .obj = t - 1, .k = i });
			prog_add(&p, t, (struct prog_instr){ .code = P_UNLOCK });
		}
	prog_join_all(&p);
	for (int i = 0; i < 2; i++) {
		prog_add(&p, 0, (struct prog_instr){ .code = P_READ, .obj = i, .reg = 0 });
		prog_add(&p, 0, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 7 });
	}
	assert_int_equal(runs_of(&p, plain), 12870);
	assert_int_equal(runs_of(&p, pruned), 12870);
	assert_int_equal(runs_of(&p, peeked), 1);
}

/* Both write the same element: who came last is seen. */
static void a_section_that_is_noticed_is_not_peeked_into(void **state)
{
	struct prog p;

	(void)state;
	begin_pair(&p, 1);
	for (int t = 1; t <= 2; t++) {
		prog_add(&p, t, (struct prog_instr){ .code = P_LOCK });
		prog_add(&p, t, (struct prog_instr){ .code = P_WRITE, .obj = 0, .k = t });
		prog_add(&p, t, (struct prog_instr){ .code = P_UNLOCK });
	}
	prog_join_all(&p);
	prog_add(&p, 0, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
	prog_add(&p, 0, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 1 });
	assert_true(runs_of(&p, plain) > 1);
	assert_int_equal(runs_of(&p, peeked), runs_of(&p, plain));
	assert_int_equal(runs_of(&p, only), runs_of(&p, plain));
}

/* What is counted along the way, and read by nobody who asserts. */
static void checker(struct prog *p, int counters)
{
	begin_pair(p, 2);
	for (int t = 1; t <= 2; t++)
		for (int i = 0; i < counters; i++) {
			prog_add(p, t, (struct prog_instr){ .code = P_READ, .obj = 1, .reg = 1 });
			prog_add(p, t, (struct prog_instr){ .code = P_STORE, .obj = 1, .reg = 1, .k = 1 });
		}
	prog_add(p, 1, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
	prog_add(p, 1, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 0 });
	prog_add(p, 2, (struct prog_instr){ .code = P_WRITE, .obj = 0, .k = 1 });
	prog_join_all(p);
}

static void counters_that_no_assertion_reads_are_not_ordered(void **state)
{
	struct prog p, without;

	(void)state;
	checker(&p, 3);
	checker(&without, 0);
	assert_true(runs_of(&p, plain) > 100);
	assert_int_equal(runs_of(&p, pruned), runs_of(&without, plain));
}

/* `n` threads that write `times` each; who reads after they have ended sees the last write only. */
static void late_reader(struct prog *p, int n, int times)
{
	memset(p, 0, sizeof(*p));
	p->n_threads = n + 1;
	p->n_vars = 1;
	prog_create_all(p);
	for (int t = 1; t <= n; t++)
		for (int i = 0; i < times; i++)
			prog_add(p, t, (struct prog_instr){ .code = P_WRITE, .obj = 0, .k = t * times + i });
	prog_join_all(p);
	prog_add(p, 0, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
	prog_add(p, 0, (struct prog_instr){ .code = P_ASSERT_NE, .reg = 0, .k = 1000 });
}

static void writes_that_nobody_reads_are_not_ordered(void **state)
{
	struct prog p;

	(void)state;
	late_reader(&p, 2, 2);
	assert_int_equal(runs_of(&p, plain), 6);
	assert_int_equal(runs_of(&p, observed), 2);
	for (int n = 2, factorial = 2; n <= 6; n++, factorial *= n) {
		late_reader(&p, n, 1);
		assert_int_equal(runs_of(&p, plain), factorial);
		assert_int_equal(runs_of(&p, observed), n);
	}
}

/* ---- large blocks */

static uint32_t nothing_matters(void *data, uint32_t site)
{
	(void)data;
	(void)site;
	return 0;
}

static int knows_all(void *data, uint32_t site)
{
	(void)data;
	(void)site;
	return 0;
}

static void a_block_of_any_size_is_freed_at_no_cost(void **state)
{
	const struct vtb_predicate_source source = { .matters = nothing_matters, .add = knows_all };
	const struct vtb_predicate_opts opts = { .faults = true };
	const uint32_t size = UINT32_MAX - 15;
	struct vtb_event events[] = {
		{ .kind = VTB_E_WRITE, .addr = 0x10000 + size / 2, .size = 4, .site = 0, .var = 0 },
		{ .kind = VTB_E_WRITE, .addr = 0x10000 + size, .size = 4, .site = 1, .var = 1 },
		{ .kind = VTB_E_WRITE, .addr = 0x8000, .size = 0x8001, .site = 2, .var = 2 },
		{ .kind = VTB_E_WRITE, .addr = 0x8000, .size = 0x8000, .site = 3, .var = 3 },
		{ .kind = VTB_E_FREE, .addr = 0x10000, .size = size, .site = 4, .var = 4 },
	};
	const struct vtb_exec x = { .events = events, .n_events = sizeof(events) / sizeof(*events) };
	struct vtb_predicate *p;

	(void)state;
	assert_int_equal(vtb_predicate_new(&source, &opts, &p), 0);
	assert_true(vtb_predicate_learn(p, &x) >= 0);
	assert_false(vtb_predicate_hides(p, 0));
	assert_true(vtb_predicate_hides(p, 1));
	assert_false(vtb_predicate_hides(p, 2));
	assert_true(vtb_predicate_hides(p, 3));
	vtb_predicate_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_of_any_size_is_freed_at_no_cost),
		cmocka_unit_test(pruning_loses_no_failure),
		cmocka_unit_test(neither_does_peeking),
		cmocka_unit_test(nor_is_an_assertion_lost_where_only_these_count),
		cmocka_unit_test(nor_with_runs_that_are_put_together),
		cmocka_unit_test(writes_that_nobody_reads_are_not_ordered),
		cmocka_unit_test(two_halves_under_one_lock_are_one_run),
		cmocka_unit_test(a_section_that_is_noticed_is_not_peeked_into),
		cmocka_unit_test(counters_that_no_assertion_reads_are_not_ordered),
	};

	return cmocka_run_group_tests_name("predicate", tests, NULL, NULL);
}
