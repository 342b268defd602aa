/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Partial-order reduction against brute force: the set of classes that it executes is the set of classes that there is,
 * by order and by reads-from, on random programs with every primitive and on the shapes that once went wrong.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mini/mini.h"
#include "vtb/strategies.h"

struct seen {
	struct mini_set order, reads_from;
	uint64_t runs, doubles; /* complete runs; of a class by order that had been run */
	uint64_t rf_doubles, diverged;
	uint64_t until_failure; /* runs up to the first that failed, and of its batch: the search begins again then; 0:
	                           none failed */
};

static void note(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id,
                 bool new_class, void *data)
{
	struct seen *seen = data;
	struct mini_step steps[MINI_STEPS];
	uint64_t order, reads_from;
	size_t n = 0;

	(void)search;
	(void)s;
	(void)class_id;
	(void)new_class;
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		const bool wait = e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE;

		if (e->kind != VTB_E_FAIL)
			steps[n++] = (struct mini_step){ e->thread, e->kind, e->var, wait ? e->aux : VTB_NONE };
		assert_true(n < MINI_STEPS);
	}
	mini_classes_of(steps, n, &order, &reads_from);
	seen->runs++;
	if (!seen->until_failure && x->outcome.verdict == VTB_V_ASSERTION)
		seen->until_failure = seen->runs + MINI_BATCH;
	seen->doubles += !mini_set_add(&seen->order, order);
	seen->rf_doubles += !mini_set_add(&seen->reads_from, reads_from);
}

static void search_program(const struct mini *p, bool reads_from, struct seen *seen, struct vtb_claim *claim)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = note, .data = seen };
	struct vtb_runner *runner = mini_runner(p);
	struct vtb_search_opts opts;
	struct vtb_search *search;

	*seen = (struct seen){ 0 };
	vtb_search_opts_init(&opts);
	opts.strategy = "dpor";
	opts.reads_from = reads_from;
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	assert_int_equal(vtb_search_run(search, &calls, NULL), VTB_SEARCH_EXHAUSTED);
	vtb_search_claim(search, claim);
	seen->diverged = vtb_search_stats(search)->diverged;
	vtb_search_free(search);
	vtb_runner_free(runner);
}

static void seen_fini(struct seen *s)
{
	mini_set_fini(&s->order);
	mini_set_fini(&s->reads_from);
}

/* How many of `all` are not in `some`. */
static uint64_t missing(const struct mini_set *all, const struct mini_set *some)
{
	uint64_t n = 0;

	for (size_t i = 0; i < all->size; i++)
		n += all->slots[i] && !mini_set_has(some, all->slots[i]);
	return n;
}

struct totals {
	uint64_t programs, classes, runs, blocked, doubles, plain_doubles, timed, reads_from, reads_from_runs;
	uint64_t bad;
};

static void differ(struct totals *t, const struct mini *p, uint64_t seed, const char *what, uint64_t missed,
                   uint64_t all)
{
	if (getenv("VTB_PRINT") || !t->bad)
		mini_print(p);
	t->bad++;
	print_message("program %" PRIu64 ": %s: %" PRIu64 " of %" PRIu64 "\n", seed, what, missed, all);
}

static void compare_order(const struct mini *p, uint64_t seed, const struct mini_brute *b, struct totals *t)
{
	struct vtb_claim claim;
	struct seen s;

	search_program(p, false, &s, &claim);
	if (!claim.complete && !b->timed)
		differ(t, p, seed, "it does not say that it is complete", 1, 1);
	if (claim.complete && missing(&b->order, &s.order))
		differ(t, p, seed, "classes missing", missing(&b->order, &s.order), b->order.used);
	if (missing(&s.order, &b->order))
		differ(t, p, seed, "classes that there are not", missing(&s.order, &b->order), s.order.used);
	if (s.diverged && !b->timed)
		differ(t, p, seed, "schedules not followed", s.diverged, s.runs);
	if (s.doubles > claim.blocked + s.until_failure && !b->timed)
		differ(t, p, seed, "runs of a class that was run", s.doubles, s.runs);
	t->runs += s.runs;
	t->blocked += claim.blocked;
	t->doubles += s.doubles;
	t->plain_doubles += !b->timed && !s.until_failure ? s.doubles : 0;
	seen_fini(&s);
}

static void compare_reads_from(const struct mini *p, uint64_t seed, const struct mini_brute *b, struct totals *t)
{
	struct vtb_claim claim;
	struct seen s;

	search_program(p, true, &s, &claim);
	if (claim.complete && missing(&b->reads_from, &s.reads_from))
		differ(t, p, seed, "reads-from classes missing", missing(&b->reads_from, &s.reads_from),
		       b->reads_from.used);
	if (missing(&s.reads_from, &b->reads_from))
		differ(t, p, seed, "reads-from classes that there are not", missing(&s.reads_from, &b->reads_from),
		       s.reads_from.used);
	if (!claim.complete && !b->timed)
		differ(t, p, seed, "with reads-from it does not say that it is complete", 1, 1);
	t->reads_from += b->reads_from.used;
	t->reads_from_runs += s.runs;
	seen_fini(&s);
}

#define MOST_STEPS 150000u /* operations that brute force may look at */

static void compare(const struct mini *p, uint64_t seed, struct totals *t)
{
	struct mini_brute b;

	mini_brute(p, true, MOST_STEPS, &b);
	if (!b.cut) {
		t->programs++;
		t->classes += b.order.used;
		t->timed += b.timed;
		compare_order(p, seed, &b, t);
		compare_reads_from(p, seed, &b, t);
	}
	mini_brute_fini(&b);
}

#if !defined(PROGRAMS) && defined(__SANITIZE_ADDRESS__)
#define PROGRAMS 30u
#elif !defined(PROGRAMS)
#define PROGRAMS 300u
#endif

static uint64_t number(const char *name, uint64_t otherwise)
{
	return getenv(name) ? strtoull(getenv(name), NULL, 0) : otherwise;
}

static void random_programs(void **state)
{
	const uint64_t first = number("VTB_FIRST", 0), programs = number("VTB_PROGRAMS", PROGRAMS);
	struct totals t = { 0 };

	(void)state;
	for (uint64_t seed = first; t.programs < programs; seed++) {
		struct mini p;

		mini_random(&p, seed);
		compare(&p, seed, &t);
	}
	print_message("%" PRIu64 " programs (time passed in %" PRIu64 "), %" PRIu64 " classes: %" PRIu64
	              " runs, %" PRIu64 " of them blocked, %" PRIu64 " doubles (%" PRIu64
	              " where nothing fails and no time passes); %" PRIu64 " reads-from classes: %" PRIu64 " runs\n",
	              t.programs, t.timed, t.classes, t.runs, t.blocked, t.doubles, t.plain_doubles, t.reads_from,
	              t.reads_from_runs);
	assert_int_equal(t.bad, 0);
}

/* ---- shapes that went wrong, and what there is of them */

#define ADD(t, what, ...) mini_add(p, t, (struct mini_instr){ .code = (what), __VA_ARGS__ })

static void check_count(const struct mini *p, uint64_t classes)
{
	struct totals t = { 0 };
	struct mini_brute b;

	mini_brute(p, true, UINT64_MAX, &b);
	assert_int_equal(b.order.used, classes);
	compare_order(p, 0, &b, &t);
	compare_reads_from(p, 0, &b, &t);
	assert_int_equal(t.bad, 0);
	assert_int_equal(t.runs, classes);
	assert_int_equal(t.blocked, 0);
	mini_brute_fini(&b);
}

static void exchanges_that_fail_or_change_nothing(void **state)
{
	struct mini program = { .n_threads = 5 }, *p = &program;

	(void)state;
	mini_create_all(p);
	ADD(1, M_CAS, .k = 0, .k2 = 2);
	ADD(2, M_CAS, .k = 1, .k2 = 1);
	ADD(3, M_LOAD);
	ADD(3, M_ADD, .k = 1);
	ADD(4, M_LOAD);
	mini_join_all(p);
	check_count(p, 26);
}

static void an_exchange_decides_who_goes_on(void **state)
{
	struct mini program = { .n_threads = 4 }, *p = &program;

	(void)state;
	mini_create_all(p);
	for (int t = 1; t <= 3; t++) {
		ADD(t, M_CAS, .k = 0, .k2 = t);
		ADD(t, M_IF, .k = 0, .k2 = 1);
		ADD(t, M_CAS, .k = 1 + t % 3, .k2 = t);
	}
	mini_join_all(p);
	check_count(p, 9);
}

static void additions_and_stores(void **state)
{
	struct mini program = { .n_threads = 5 }, *p = &program;

	(void)state;
	mini_create_all(p);
	ADD(1, M_ADD, .obj = 1, .k = 1);
	ADD(1, M_ADD, .obj = 1, .k = 1);
	ADD(1, M_UNLESS, .k = 1, .k2 = 1);
	ADD(1, M_ADD, .k = -1);
	ADD(2, M_STORE, .obj = 1, .k = 1);
	ADD(2, M_STORE, .k = 1);
	ADD(3, M_ADD, .k = 1);
	ADD(4, M_ADD, .obj = 1, .k = -1);
	mini_join_all(p);
	check_count(p, 44);
}

/* Each thread reads its neighbour's variable, then writes its own and one of all; main writes the last one's neighbour:
 * n! 2^n. */
static void chain(struct mini *p, int n)
{
	*p = (struct mini){ .n_threads = n + 1 };
	mini_create_all(p);
	for (int t = 1; t <= n; t++) {
		ADD(t, M_READ, .obj = t % n + (t == n ? n : 0));
		ADD(t, M_WRITE, .obj = t - 1, .k = 1);
		ADD(t, M_WRITE, .obj = MINI_OBJECTS - 1, .k = t);
	}
	ADD(0, M_WRITE, .obj = n, .k = 1);
	mini_join_all(p);
}

static void chains_of_neighbours(void **state)
{
	struct mini p;

	(void)state;
	chain(&p, 3);
	check_count(&p, 48);
	chain(&p, 4);
	check_count(&p, 384);
	chain(&p, 5);
	check_count(&p, 3840);
	if (number("VTB_PROGRAMS", 0) >= 5000) { /* nightly */
		chain(&p, 6);
		check_count(&p, 46080);
	}
}

/* Of a thread that takes a mutex again and two that want it, too: one waits, one tries. */
static void relocks(struct mini *p, enum mini_mutex type)
{
	*p = (struct mini){ .n_threads = 4, .mutexes = { type } };
	mini_create_all(p);
	ADD(1, M_LOCK);
	ADD(1, M_LOCK);
	if (type == MINI_RECURSIVE)
		ADD(1, M_UNLOCK);
	ADD(1, M_UNLOCK);
	ADD(2, M_LOCK);
	ADD(2, M_TRYLOCK, .reg = 1);
	if (type == MINI_RECURSIVE)
		ADD(2, M_UNLOCK);
	ADD(2, M_UNLOCK);
	ADD(3, M_TRYLOCK);
	ADD(3, M_IF, .k = 0, .k2 = 1);
	ADD(3, M_UNLOCK);
	mini_join_all(p);
}

/* By reads-from, too: there is something to be spared, and it is. */
static void check_spares(const struct mini *p)
{
	struct vtb_claim claim;
	struct seen order, reads_from;

	search_program(p, false, &order, &claim);
	search_program(p, true, &reads_from, &claim);
	assert_true(claim.complete);
	assert_true(reads_from.runs < order.runs);
	seen_fini(&order);
	seen_fini(&reads_from);
}

static void a_mutex_that_is_locked_again(void **state)
{
	struct mini p;

	(void)state;
	for (enum mini_mutex type = MINI_RECURSIVE; type <= MINI_ERRORCHECK; type++) {
		relocks(&p, type);
		check_count(&p, type == MINI_RECURSIVE ? 18 : 14);
		for (int t = 1; t <= 3; t++) /* writes that nobody reads */
			mini_add(&p, t, (struct mini_instr){ .code = M_WRITE, .k = t });
		check_spares(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exchanges_that_fail_or_change_nothing),
		cmocka_unit_test(an_exchange_decides_who_goes_on),
		cmocka_unit_test(additions_and_stores),
		cmocka_unit_test(chains_of_neighbours),
		cmocka_unit_test(a_mutex_that_is_locked_again),
		cmocka_unit_test(random_programs),
	};

	return cmocka_run_group_tests_name("classes", tests, NULL, NULL);
}
