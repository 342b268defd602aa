/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs that are told by their class, and failing ones without what their threads own: a search comes to the same with
 * them as without. Random programs, run by a runner that tells both as the runtime does; by one that others have used;
 * and by one that takes classes for one that are several, which must be noticed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "prog.h"
#include "vtb/mazurkiewicz.h"
#include "vtb/strategies.h"
#include "vtb/wire.h"

#define KNOWN 4096u
#define BUDGET 900u

/* Numbers for classes, as they are met: begun anew when another search asks. */
struct brief_runner {
	struct vtb_runner base;
	struct vtb_runner *inner;
	struct vtb_hash128 known[KNOWN];
	uint64_t prints[KNOWN]; /* 0: not told to the present search */
	size_t n_known;
	uint64_t told_to, last_print, brief, shortened;
	bool met; /* `lowest` is that of the failing runs of earlier batches */
	struct vtb_tuple lowest, now;
	uint64_t less; /* times that what was told in short would not do, though runs had failed */
	bool mixes;    /* every second class gets the number of the first */
};

static size_t number_of(struct brief_runner *b, struct vtb_hash128 h)
{
	size_t i = 0;

	while (i < b->n_known && (b->known[i].lo != h.lo || b->known[i].hi != h.hi))
		i++;
	if (i == b->n_known && i < KNOWN)
		b->known[b->n_known++] = h;
	return b->mixes && i % 2 ? 0 : i;
}

/* ---- failing runs in short */

static bool is_own(const struct vtb_exec *x, size_t i)
{
	const struct vtb_event *e = &x->events[i];

	if (e->kind != VTB_E_READ && e->kind != VTB_E_WRITE)
		return false;
	for (size_t k = 0; k < x->n_events; k++)
		if (x->events[k].var == e->var && x->events[k].thread != e->thread)
			return false;
	return true;
}

/* Accesses to what nobody else touches, behind an operation of their thread, become a row. False: there are none. */
static bool shorten(struct vtb_exec *x)
{
	bool *own = calloc(x->n_events + 1, sizeof(*own));
	size_t n = 0;

	assert_non_null(own);
	for (size_t i = 1; i < x->n_events; i++)
		own[i] = x->events[i].thread == x->events[i - 1].thread && is_own(x, i);
	for (size_t i = 0; i < x->n_events; i++) {
		struct vtb_event e = x->events[i];

		if (own[i] && own[i - 1]) {
			x->events[n - 1].value++;
			continue;
		}
		if (own[i])
			e = (struct vtb_event){
				.kind = VTB_E_OWNED, .thread = e.thread, .value = 1, .var = VTB_NONE, .site = VTB_NONE
			};
		memmove(x->enabled + n * x->stride, x->enabled + i * x->stride, x->stride * sizeof(*x->enabled));
		x->events[n++] = e;
		x->owned |= own[i];
	}
	x->n_events = n;
	x->n_enabled = n * x->stride;
	free(own);
	return x->owned;
}

static bool is_lower(struct vtb_tuple a, struct vtb_tuple b)
{
	return a.c < b.c || (a.c == b.c && a.v < b.v);
}

/* What is told in short says no less of c, and of v no more; and it is no lower than what the search has met. */
static void check_short(struct brief_runner *b, const struct vtb_exec *x, const struct vtb_exec *in_short, bool enough)
{
	const struct vtb_tuple t = vtb_exec_tuple(x), least = vtb_exec_tuple(in_short);

	assert_int_equal(t.c, least.c);
	assert_true(least.v <= t.v);
	if (enough)
		assert_true(b->met && !is_lower(t, b->lowest));
	b->less += b->met && !enough;
}

static void tell_failing(struct brief_runner *b, const struct vtb_schedule *s, struct vtb_exec *x)
{
	struct vtb_exec in_short;
	bool enough;

	assert_int_equal(vtb_exec_copy(x, &in_short), 0);
	enough = b->base.enough && shorten(&in_short) && b->base.enough(&b->base, &in_short);
	if (b->base.enough && in_short.owned)
		check_short(b, x, &in_short, enough);
	if (!enough || !s->brief) {
		vtb_exec_fini(&in_short);
		return;
	}
	vtb_exec_fini(x);
	*x = in_short;
	b->shortened++;
}

/* Told in full, or by its print. */
static void tell(struct brief_runner *b, const struct vtb_schedule *s, struct vtb_exec *x)
{
	struct vtb_hash128 h;
	size_t number;

	if (vtb_verdict_exit_code(x->outcome.verdict) == 1) {
		const struct vtb_tuple t = vtb_exec_tuple(x);

		b->now = is_lower(t, b->now) ? t : b->now;
		tell_failing(b, s, x);
	}
	if (x->outcome.verdict != VTB_V_NONE || b->base.tell_all)
		return;
	assert_int_equal(vtb_mazurkiewicz_of(x->events, x->n_events, b->base.tab, &h), 0);
	number = number_of(b, h);
	if (number == KNOWN)
		return;
	if (b->prints[number] && s->brief) {
		vtb_exec_fini(x);
		*x = (struct vtb_exec){ .brief = true };
		b->brief++;
	} else if (!b->prints[number]) {
		b->prints[number] = ++b->last_print;
	}
	x->print = b->prints[number];
}

static int brief_run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                     struct vtb_exec *execs, struct vtb_error *err)
{
	struct brief_runner *b = (struct brief_runner *)runner;
	int r = vtb_runner_run(b->inner, schedules, n, execs, err);

	if (b->told_to != runner->told_to) {
		memset(b->prints, 0, sizeof(b->prints));
		b->now = (struct vtb_tuple){ .c = UINT32_MAX };
	}
	b->lowest = b->now;
	b->met = b->now.c < UINT32_MAX;
	b->told_to = runner->told_to;
	for (size_t i = 0; r >= 0 && i < n; i++)
		tell(b, schedules[i], &execs[i]);
	return r;
}

static size_t brief_batch(const struct vtb_runner *runner)
{
	(void)runner;
	return 7;
}

static void brief_free(struct vtb_runner *runner)
{
	vtb_runner_free(((struct brief_runner *)runner)->inner);
	free(runner);
}

static const struct vtb_runner_ops brief_ops = {
	.name = "brief", .run = brief_run, .batch = brief_batch, .free = brief_free
};

static struct brief_runner *brief_runner(const struct prog *p, bool mixes)
{
	struct brief_runner *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->inner = prog_runner(p);
	b->base = (struct vtb_runner){ .ops = &brief_ops, .tab = b->inner->tab };
	b->mixes = mixes;
	return b;
}

/* ---- searches */

struct came {
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	char statement[2000];
	uint64_t failing_hash; /* schedules of the failing runs, in order, and their c */
	int end;
};

static enum vtb_search_reply note_failing(struct vtb_search *search, const struct vtb_schedule *s,
                                          const struct vtb_exec *x, struct vtb_tuple t, void *data)
{
	struct came *c = data;

	(void)x;
	c->failing_hash = c->failing_hash * 31 + s->seed + 3 * t.c + vtb_search_stats(search)->schedules;
	return VTB_SEARCH_GO_ON;
}

static void search_on(struct vtb_runner *runner, const char *strategy, uint64_t seed, bool tell_all, struct came *ret)
{
	const struct vtb_search_calls calls = { .failing = note_failing, .data = ret, .known_will_do = true };
	struct vtb_search_opts opts;
	struct vtb_search *search;

	memset(ret, 0, sizeof(*ret));
	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.seed = seed;
	opts.budget = BUDGET;
	opts.tell_all = tell_all;
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	ret->end = vtb_search_run(search, &calls, NULL);
	ret->stats = *vtb_search_stats(search);
	vtb_search_claim(search, &ret->claim);
	vtb_search_statement(search, ret->statement, sizeof(ret->statement));
	vtb_search_free(search);
}

static void same(const char *what, uint64_t program, const struct came *a, const struct came *b)
{
	const struct vtb_search_stats *x = &a->stats, *y = &b->stats;

	if (strcmp(a->statement, b->statement) || a->failing_hash != b->failing_hash || a->end != b->end)
		fail_msg("%s, program %" PRIu64 ":\n%s\n%s", what, program, a->statement, b->statement);
	assert_int_equal(x->schedules, y->schedules);
	assert_int_equal(x->classes, y->classes);
	assert_int_equal(x->events, y->events);
	assert_int_equal(x->failing, y->failing);
	assert_int_equal(x->lowest.c, y->lowest.c);
	assert_int_equal(x->lowest.v, y->lowest.v);
	assert_int_equal(x->mixed, 0);
	assert_int_equal(y->mixed, 0);
	assert_true(a->claim.probability == b->claim.probability);
	assert_int_equal(a->claim.explored, b->claim.explored);
}

static void make(struct prog *p, uint64_t seed)
{
	if (seed % 3 == 2)
		prog_random_chances(p, seed, 2 + (int)(seed & 1), 4);
	else
		prog_random(p, seed, 2 + (int)(seed & 1), 4);
}

static const char *const strategies[] = { "random", "pos", "surw", "pct", "pctvb", "pcttb", "portfolio" };
#define STRATEGIES (sizeof(strategies) / sizeof(*strategies))

static void a_search_comes_to_the_same(void **state)
{
	static struct came all, some, later;
	uint64_t brief = 0, runs = 0, shortened = 0, less = 0;
	struct prog p;

	(void)state;
	for (uint64_t seed = 1; seed <= CASES(60); seed++) {
		make(&p, seed);
		for (size_t i = 0; i < STRATEGIES; i++) {
			struct brief_runner *b = brief_runner(&p, false);

			search_on(&b->base, strategies[i], seed, true, &all);
			assert_int_equal(b->brief, 0);
			search_on(&b->base, strategies[i], seed, false, &some);
			same(strategies[i], seed, &all, &some);
			brief += b->brief;
			shortened += b->shortened;
			less += b->less;
			runs += some.stats.schedules;
			search_on(&b->base, strategies[i], seed, false,
			          &later); /* knows nothing of what that was told */
			same(strategies[i], seed, &all, &later);
			vtb_runner_free(&b->base);
		}
	}
	print_message("%" PRIu64 " of %" PRIu64 " runs told by their class, %" PRIu64 " failing ones in short; %" PRIu64
	              " would not do in short\n",
	              brief, runs, shortened, less);
	assert_true(brief > runs / 8 && shortened > runs / 100 && less > CASES(20));
}

static void wrong_prints_are_noticed(void **state)
{
	static struct came all, mixed;
	uint64_t noticed = 0;
	struct prog p;

	(void)state;
	for (uint64_t seed = 1; seed <= CASES(60); seed++) {
		struct brief_runner *b;

		make(&p, seed);
		b = brief_runner(&p, true);
		search_on(&b->base, "random", seed, true, &all);
		search_on(&b->base, "random", seed, false, &mixed);
		assert_true(mixed.stats.classes <= all.stats.classes);
		if (all.stats.classes > 1 && !all.stats.failing) { /* runs that fail have no print */
			assert_true(mixed.stats.mixed > 0);
			assert_non_null(strstr(mixed.statement, "there may be more classes"));
			noticed++;
		}
		vtb_runner_free(&b->base);
	}
	print_message("%" PRIu64 " searches were told wrong classes, and said so\n", noticed);
	assert_true(noticed > CASES(20) / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_search_comes_to_the_same),
		cmocka_unit_test(wrong_prints_are_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
