/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dpor told only what threads share, against dpor that is told all, on random small programs. The runner passes over
 * accesses to variables that one thread touches, as far as runs have shown: a run in which another thread comes to one
 * of them is told whole, and from the next batch on the variable is told. In some searches now and then one of those
 * accesses is told all the same, as where a real thread may be spinning.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "prog.h"
#include "vtb/array.h"
#include "vtb/events.h"
#include "vtb/rng.h"
#include "vtb/strategies.h"
#include "vtb/wire.h"

#define VARS 64
#define NOISE 4 /* one access in so many */

struct passing {
	struct vtb_runner runner;
	struct vtb_runner *own;
	bool told[VARS], met[VARS]; /* by variable; met: in this batch */
	uint32_t n_told;
	bool noisy;
	uint64_t runs;
	uint64_t passed, refused; /* rows, runs */
};

static bool is_access(const struct vtb_event *e)
{
	return e->kind == VTB_E_READ || e->kind == VTB_E_WRITE;
}

/* Has another thread touched what would be passed over? */
static bool meets(struct passing *p, const struct vtb_exec *x)
{
	uint32_t by[VARS];
	bool met = false;

	memset(by, 0xff, sizeof(by));
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (!is_access(e) || e->var >= VARS || p->told[e->var])
			continue;
		if (by[e->var] != UINT32_MAX && by[e->var] != e->thread)
			met = p->met[e->var] = true;
		by[e->var] = e->thread;
	}
	return met;
}

/* The access of the row in the run that is made. */
static bool passes(const struct passing *p, const struct vtb_event *e, size_t row)
{
	return is_access(e) && e->var < VARS && !p->told[e->var] &&
	       !(p->noisy && vtb_mix64(p->runs << 8 | row) % NOISE == 0);
}

/* A failing run is told whole, and what would have been passed over is said beside. */
static void say_passed(struct passing *p, struct vtb_exec *x)
{
	uint64_t ops = 0;

	for (size_t i = 0; i < x->n_events; i++) {
		if (passes(p, &x->events[i], i)) {
			assert_true(vtb_array_room(x, passed) >= 0);
			x->passed[x->n_passed++] = (struct vtb_passed){ .from = ops, .n = 1 };
		}
		ops += vtb_event_is_operation(&x->events[i]);
	}
}

static bool goes_on_in(const struct vtb_exec *x, size_t row, const struct vtb_event *e)
{
	return row > 0 && x->events[row - 1].kind == VTB_E_OWNED && x->events[row - 1].thread == e->thread;
}

static void pass_over(struct passing *p, struct vtb_exec *x)
{
	size_t n = 0, wait = 0;

	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event e = x->events[i];
		const bool over = passes(p, &e, i);

		for (; wait < x->n_waits && x->waits[wait].row <= i; wait++)
			x->waits[wait].row = (uint32_t)n;
		if (over && goes_on_in(x, n, &e)) {
			x->events[n - 1].value++;
			continue;
		}
		memmove(x->enabled + n * x->stride, x->enabled + i * x->stride, x->stride * sizeof(*x->enabled));
		x->events[n++] = e;
		if (!over)
			continue;
		x->events[n - 1] = (struct vtb_event){
			.kind = VTB_E_OWNED, .thread = e.thread, .value = 1, .var = VTB_NONE, .site = VTB_NONE
		};
		p->passed++;
	}
	for (; wait < x->n_waits; wait++)
		x->waits[wait].row = (uint32_t)n;
	x->n_events = n;
	x->n_enabled = n * x->stride;
	x->owned = true;
}

static void tell(struct passing *p, const struct vtb_schedule *s, struct vtb_exec *x)
{
	p->runs++;
	if (!p->runner.owned || !s->sparse)
		return;
	if (meets(p, x)) {
		p->refused++;
		return;
	}
	x->told = p->n_told + 1;
	if (x->outcome.verdict == VTB_V_NONE)
		pass_over(p, x);
	else
		say_passed(p, x);
}

static int run_passing(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                       struct vtb_exec *execs, struct vtb_error *err)
{
	struct passing *p = (struct passing *)runner;
	const int r = vtb_runner_run(p->own, schedules, n, execs, err);

	for (size_t i = 0; r >= 0 && i < n; i++)
		tell(p, schedules[i], &execs[i]);
	for (size_t var = 0; var < VARS; var++)
		if (p->met[var] && !p->told[var]) {
			p->told[var] = true;
			p->n_told++;
		}
	return r;
}

static size_t batch_of_passing(const struct vtb_runner *runner)
{
	(void)runner;
	return 8;
}

static void free_nothing(struct vtb_runner *runner)
{
	(void)runner;
}

static const struct vtb_runner_ops passing_ops = {
	.name = "passing", .run = run_passing, .batch = batch_of_passing, .free = free_nothing
};

/* ---- searches */

struct came {
	uint64_t outcomes[BRUTE_OUTCOMES];
	int n;
	bool cut_off; /* in some run threads were still at work at its end */
	struct vtb_search_stats stats;
	struct vtb_claim claim;
};

static void note(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id,
                 bool new_class, void *data)
{
	struct came *c = data;
	int i = 0;

	(void)search;
	(void)s;
	(void)class_id;
	(void)new_class;
	while (i < c->n && c->outcomes[i] != x->outcome.output_hash)
		i++;
	c->cut_off |= x->n_pending > 0;
	if (x->n_pending && x->outcome.verdict == VTB_V_NONE) /* values that nobody has seen */
		return;
	if (i == c->n && i < BRUTE_OUTCOMES)
		c->outcomes[c->n++] = x->outcome.output_hash;
}

static void search(const struct prog *program, bool all, bool noisy, struct came *ret, struct passing *totals)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = note, .data = ret };
	struct passing p = { .own = prog_runner(program), .noisy = noisy };
	struct vtb_search_opts opts;
	struct vtb_search *s;

	p.runner = (struct vtb_runner){ .ops = &passing_ops, .tab = p.own->tab };
	vtb_search_opts_init(&opts);
	opts.strategy = "dpor";
	opts.tell_owned = all;
	*ret = (struct came){ .n = 0 };
	assert_int_equal(vtb_strategies_begin(&p.runner, &opts, &s, NULL), 0);
	assert_int_equal(vtb_search_run(s, &calls, NULL), VTB_SEARCH_EXHAUSTED);
	ret->stats = *vtb_search_stats(s);
	vtb_search_claim(s, &ret->claim);
	vtb_search_free(s);
	vtb_runner_free(p.own);
	totals->passed += p.passed;
	totals->refused += p.refused;
}

static bool has(const struct came *c, uint64_t outcome)
{
	for (int i = 0; i < c->n; i++)
		if (c->outcomes[i] == outcome)
			return true;
	return false;
}

/* How far threads have come in what is their own when the process ends is not told apart. */
static void compare(const struct prog *p, unsigned seed, const struct came *all, const struct came *some)
{
	bool same = all->n == some->n && all->claim.complete == some->claim.complete &&
	            all->claim.exhausted == some->claim.exhausted && !some->claim.contradicted &&
	            (all->stats.failing > 0) == (some->stats.failing > 0) && !some->stats.diverged;

	if (!all->cut_off)
		same &= all->stats.classes == some->stats.classes;
	for (int i = 0; i < all->n; i++)
		same &= has(some, all->outcomes[i]);
	if (same)
		return;
	prog_print(p);
	fail_msg("program %u: %d outcomes, %llu classes; passing over %d, %llu", seed, all->n,
	         (unsigned long long)all->stats.classes, some->n, (unsigned long long)some->stats.classes);
}

static void what_one_thread_touches_need_not_be_told(void **state)
{
	struct passing totals = { .passed = 0 };
	static struct came all, some;

	(void)state;
	for (unsigned seed = 27000; seed < 27000 + CASES(500); seed++) {
		struct prog p;

		prog_random(&p, seed, seed % 2 ? 2 : 3, seed % 2 ? 7 : 5);
		search(&p, true, false, &all, &totals);
		search(&p, false, seed % 4 == 0, &some, &totals);
		compare(&p, seed, &all, &some);
	}
	print_message("%llu stretches passed over, %llu runs told whole for that\n", (unsigned long long)totals.passed,
	              (unsigned long long)totals.refused);
	assert_true(totals.passed > CASES(1000));
	assert_true(totals.refused > CASES(100));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_one_thread_touches_need_not_be_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
