/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines without-stem N PROGRAM [ARGS]: runs without what main does before its first thread (vtb/exec_stem.h), against
 * the same runs told whole: N random schedules, as many of pos, each again as it went by its own numbers and by those
 * of whole runs, under an order of two operations described by their sites, with every second site quiet, and passing
 * over what a thread owns.
 *
 * engines without-stem-search PROGRAM [ARGS]: searches by all strategies with whole runs and without their stem: the
 * same failures, and where one ends the same classes and claims.
 */
#include "engines.h"

#include <stdlib.h>
#include <string.h>

#include "vtb/mazurkiewicz.h"
#include "vtb/search.h"
#include "vtb/exec_stem.h"
#include "vtb/strategies.h"
#include "vtb/strategy.h"
#include "vtb/trace.h"

#define BATCH 16u
#define FEWER 4u /* schedules on engine forkserver, where a process for each run takes a hundred times as long */

/* Without the first events that the stem leaves out; their lines are for nobody to see. */
static void cut(struct vtb_exec *x, const struct vtb_stem *stem)
{
	const uint32_t all = stem->ends[stem->told];
	uint32_t left_out = 0;
	size_t to = 0;

	for (size_t i = 0; i < x->n_events; i++) {
		if (left_out < all && vtb_event_in_stem(x->events[i].kind) == VTB_STEM_LEFT_OUT) {
			left_out++;
			continue;
		}
		x->events[to] = x->events[i];
		memmove(x->enabled + to * x->stride, x->enabled + i * x->stride, x->stride * sizeof(*x->enabled));
		to++;
	}
	x->n_events = to;
	x->n_enabled = to * x->stride;
}

static void be_equal(const struct vtb_runner *runner, const struct vtb_exec *a, const struct vtb_exec *b,
                     const char *what, uint64_t seed)
{
	char *x = describe(runner, a), *y = describe(runner, b);

	if (strcmp(x, y))
		die("%s, seed %llu:\n%s\nand\n%s", what, (unsigned long long)seed, x, y);
	free(x);
	free(y);
}

static void schedule_of(const struct vtb_exec *x, struct vtb_schedule *s)
{
	if (vtb_exec_schedule(x, s) < 0)
		die("no memory");
}

/* As the run without its stem went: by its own numbers, and by those of whole runs. */
static void run_again(struct vtb_runner *runner, struct vtb_stem *stem, const struct vtb_exec *x,
                      const struct vtb_exec *whole, uint64_t seed)
{
	struct vtb_schedule s;
	struct vtb_exec again;

	schedule_of(x, &s);
	runner->stem = stem;
	run_one(runner, &s, &again);
	be_equal(runner, x, &again, "as it went", seed);
	vtb_exec_fini(&again);
	runner->stem = NULL;
	vtb_stem_lengthen(stem, &s);
	run_one(runner, &s, &again);
	be_equal(runner, whole, &again, "as it went, whole", seed);
	vtb_exec_fini(&again);
	vtb_schedule_fini(&s);
}

/* ---- orders of two operations by their sites, which are counted without the stem there and with it here */

static struct vtb_op by_site(const struct vtb_exec *x, size_t at)
{
	const struct vtb_event *e = &x->events[at];
	struct vtb_op op = { .thread = e->thread, .index = VTB_OP_BY_SITE, .this_site = true };

	op.name.site = e->site;
	op.name.kind = vtb_event_pending_kind(e->kind);
	for (size_t i = 0; i <= at; i++)
		op.name.occurrence += x->events[i].thread == e->thread && x->events[i].site == e->site &&
		                      vtb_event_pending_kind(x->events[i].kind) == op.name.kind;
	return op;
}

/* Two operations in a row of different threads, from this one on. 0: there are none. */
static size_t meeting(const struct vtb_exec *x, size_t from)
{
	for (size_t i = from > 1 ? from : 1; i < x->n_events; i++)
		if (x->events[i].thread != x->events[i - 1].thread && vtb_event_is_operation(&x->events[i]) &&
		    vtb_event_is_operation(&x->events[i - 1]))
			return i;
	return 0;
}

static void constrained(struct vtb_runner *runner, const struct vtb_exec *x, size_t at, uint64_t seed,
                        struct vtb_exec *ret)
{
	struct vtb_schedule s = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK, .seed = seed };

	if (vtb_schedule_constrain(&s, by_site(x, at), by_site(x, at - 1)) < 0)
		die("no memory");
	run_one(runner, &s, ret);
	vtb_schedule_fini(&s);
}

/* The later one of two that met is to come first. */
static void turn_round(struct vtb_runner *runner, struct vtb_stem *stem, const struct vtb_exec *x,
                       const struct vtb_exec *whole, uint64_t seed)
{
	for (size_t at = meeting(x, 0), tried = 0; at && tried < 8; at = meeting(x, at + 1), tried++) {
		struct vtb_exec a, b;

		runner->stem = stem;
		constrained(runner, x, at, seed, &a);
		runner->stem = NULL;
		constrained(runner, whole, at + whole->n_events - x->n_events, seed, &b);
		cut(&b, stem);
		be_equal(runner, &a, &b, "turned round", seed);
		vtb_exec_fini(&a);
		vtb_exec_fini(&b);
	}
}

static void told(struct vtb_runner *runner, struct vtb_stem *stem, enum vtb_policy policy, uint64_t seed, size_t n)
{
	struct vtb_exec whole[BATCH] = { 0 }, x[BATCH] = { 0 };

	run_walks(runner, false, policy, seed, n, whole);
	runner->stem = stem;
	run_walks(runner, false, policy, seed, n, x);
	for (size_t i = 0; i < n; i++) {
		struct vtb_exec shorter = { 0 };

		if (vtb_exec_copy(&whole[i], &shorter) < 0)
			die("no memory");
		cut(&shorter, stem);
		be_equal(runner, &shorter, &x[i], "drawn alike", seed + i);
		run_again(runner, stem, &x[i], &whole[i], seed + i);
		turn_round(runner, stem, &x[i], &whole[i], seed + i);
		vtb_exec_fini(&shorter);
		vtb_exec_fini(&whole[i]);
		vtb_exec_fini(&x[i]);
	}
}

/* What is passed over depends on addresses: what must be equal is where it leads. */
static void passing_over(struct vtb_runner *runner, struct vtb_stem *stem, enum vtb_policy policy, uint64_t seed,
                         size_t n)
{
	struct vtb_exec x[BATCH] = { 0 };

	runner->stem = stem;
	run_walks(runner, true, policy, seed, n, x);
	runner->stem = NULL;
	for (size_t i = 0; i < n; i++) {
		struct vtb_exec whole = { 0 };
		struct vtb_hash128 a, b;
		struct vtb_schedule s;

		schedule_of(&x[i], &s);
		vtb_stem_lengthen(stem, &s);
		run_one(runner, &s, &whole);
		if ((x[i].outcome.flags | whole.outcome.flags) & VTB_OUT_DIVERGED ||
		    x[i].outcome.verdict != whole.outcome.verdict ||
		    x[i].outcome.output_hash != whole.outcome.output_hash)
			die("passing over, seed %llu: not the same when whole", (unsigned long long)(seed + i));
		cut(&whole, stem);
		if (vtb_mazurkiewicz_of(x[i].events, x[i].n_events, runner->tab, &a) < 0 ||
		    vtb_mazurkiewicz_of(whole.events, whole.n_events, runner->tab, &b) < 0)
			die("no memory");
		if (a.lo != b.lo || a.hi != b.hi)
			die("passing over, seed %llu: another class when whole", (unsigned long long)(seed + i));
		vtb_schedule_fini(&s);
		vtb_exec_fini(&whole);
		vtb_exec_fini(&x[i]);
	}
}

/* What a write has left is seen when its thread comes back: by then, of a quiet program, others may have written. */
static void forget_values(struct vtb_exec *x)
{
	for (size_t i = 0; i < x->n_events; i++)
		x->events[i].flags &= (uint8_t)~VTB_EVF_VALUE;
}

static void not_looking(struct vtb_runner *runner, struct vtb_stem *stem, uint64_t seed, size_t n)
{
	const size_t n_sites = runner->tab->n_sites;
	uint8_t *quiet = calloc(n_sites + 1, 1);
	struct vtb_exec x[BATCH] = { 0 };

	if (!quiet)
		die("no memory");
	for (size_t i = 0; i < n_sites; i++)
		quiet[i] = (i + seed) % 2;
	runner->stem = stem;
	vtb_runner_quiet(runner, quiet, n_sites);
	run_walks(runner, false, VTB_SCHEDULE_RANDOM, seed, n, x);
	for (size_t i = 0; i < n; i++) {
		struct vtb_exec again = { 0 };
		struct vtb_schedule s;

		if (x[i].outcome.flags & VTB_OUT_DIVERGED)
			die("not looking, seed %llu: another stem", (unsigned long long)(seed + i));
		schedule_of(&x[i], &s);
		run_one(runner, &s, &again);
		forget_values(&x[i]);
		forget_values(&again);
		be_equal(runner, &x[i], &again, "not looking, as it went", seed + i);
		vtb_schedule_fini(&s);
		vtb_exec_fini(&again);
		vtb_exec_fini(&x[i]);
	}
	vtb_runner_quiet(runner, NULL, 0);
	runner->stem = NULL;
	free(quiet);
}

static bool compare(const struct setting *setting, char *const *argv, uint64_t schedules)
{
	struct vtb_runner *runner = open_runner(setting, argv, 0);
	const struct vtb_schedule standard = { 0 };
	struct vtb_exec first = { 0 };
	struct vtb_stem stem;
	int r;

	run_one(runner, &standard, &first);
	r = vtb_stem_of(&first, 1, &stem);
	if (r < 0)
		die("no memory");
	for (uint64_t seed = 1; r > 0 && seed <= schedules; seed += BATCH) {
		const size_t n = schedules - seed < BATCH ? (size_t)(schedules - seed + 1) : BATCH;

		told(runner, &stem, VTB_SCHEDULE_RANDOM, seed, n);
		told(runner, &stem, VTB_SCHEDULE_POS, seed, n);
		passing_over(runner, &stem, VTB_SCHEDULE_RANDOM, seed, n);
		passing_over(runner, &stem, VTB_SCHEDULE_POS, seed, n);
		not_looking(runner, &stem, seed, n);
	}
	vtb_exec_fini(&first);
	vtb_stem_fini(&stem);
	vtb_runner_free(runner);
	return r > 0;
}

int command_without_stem(int argc, char **argv)
{
	static const char *const names[] = { "forkserver-fibers", "snapshot-scan", "snapshot-scan, checkpoints" };

	uint64_t schedules;

	if (argc < 2)
		die("usage: engines without-stem SCHEDULES PROGRAM [ARGUMENT...]");
	schedules = strtoull(argv[0], NULL, 10);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct setting *setting = setting_by_name(names[i]);
		const uint64_t n =
		    setting->engine == VTB_ENGINE_FORKSERVER ? (schedules + FEWER - 1) / FEWER : schedules;

		if (!compare(setting, argv + 1, n))
			die("%s has no stem", argv[1]);
	}
	return 0;
}

/* ---- searches */

#define BUDGET 6000u       /* of schedules, of what can come to an end */
#define BUDGET_WALKS 1500u /* and of what draws its schedules, and would go on for ever */
#define SIGNATURES 8u

struct came {
	const char *signatures[SIGNATURES]; /* of failures, in alphabetical order */
	size_t n;
	struct vtb_search_stats stats;
	struct vtb_claim claim;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum vtb_search_reply on_failing(struct vtb_search *search, const struct vtb_schedule *schedule,
                                        const struct vtb_exec *x, struct vtb_tuple tuple, void *data)
{
	struct came *came = data;

	(void)search;
	(void)schedule;
	(void)tuple;
	for (size_t i = 0; i < came->n; i++)
		if (!strcmp(came->signatures[i], x->outcome.signature))
			return VTB_SEARCH_GO_ON;
	if (came->n == SIGNATURES)
		die("too many failures");
	came->signatures[came->n++] = x->outcome.signature;
	return VTB_SEARCH_GO_ON;
}

static void search_with(struct vtb_runner *runner, const char *strategy, struct vtb_stem *stem, struct came *ret)
{
	const struct vtb_search_calls calls = { .failing = on_failing, .data = ret };
	struct vtb_search *search = NULL;
	struct vtb_search_opts opts;
	struct vtb_error err = { 0 };

	*ret = (struct came){ .n = 0 };
	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.budget = vtb_strategy_find(strategy)->can & VTB_STRATEGY_WALKS ? BUDGET_WALKS : BUDGET;
	opts.c = 1;
	opts.stem = stem;
	opts.selective = VTB_SELECTIVE_ON;
	if (vtb_strategies_begin(runner, &opts, &search, &err) < 0 || vtb_search_run(search, &calls, &err) < 0)
		die("%s: %s", strategy, err.text);
	ret->stats = *vtb_search_stats(search);
	vtb_search_claim(search, &ret->claim);
	vtb_search_free(search);
	qsort(ret->signatures, ret->n, sizeof(*ret->signatures), by_text);
}

static void compare_searches(struct vtb_runner *runner, const char *strategy, struct vtb_stem *stem)
{
	struct came whole, without;

	search_with(runner, strategy, NULL, &whole);
	search_with(runner, strategy, stem, &without);
	printf("%s: %llu and %llu schedules, %llu and %llu classes, complete %d and %d, %zu and %zu failures\n",
	       strategy, (unsigned long long)whole.stats.schedules, (unsigned long long)without.stats.schedules,
	       (unsigned long long)whole.stats.classes, (unsigned long long)without.stats.classes, whole.claim.complete,
	       without.claim.complete, whole.n, without.n);
	if (without.stats.diverged && !whole.stats.diverged)
		die("%s: runs without the stem went astray: %s", strategy, without.stats.diverged_at);
	if (whole.n != without.n)
		die("%s: not the same failures", strategy);
	for (size_t i = 0; i < whole.n; i++)
		if (strcmp(whole.signatures[i], without.signatures[i]))
			die("%s: %s and %s", strategy, whole.signatures[i], without.signatures[i]);
	if (whole.claim.exhausted && without.claim.exhausted && whole.claim.complete != without.claim.complete)
		die("%s: not the same claims", strategy);
	if ((!strcmp(strategy, "dfs") || !strcmp(strategy, "dpor")) && whole.claim.exhausted &&
	    !without.claim.exhausted)
		die("%s: comes to its end with whole runs alone", strategy);
	if ((!strcmp(strategy, "dfs") || !strcmp(strategy, "dpor")) && whole.claim.exhausted &&
	    (whole.stats.classes != without.stats.classes || whole.stats.failing != without.stats.failing))
		die("%s: not the same runs", strategy);
}

int command_without_stem_search(int argc, char **argv)
{
	static const char *const strategies[] = { "dfs", "dpor", "cvt",   "bestfirst", "random",
		                                  "pos", "surw", "pctvb", "portfolio" };
	struct vtb_runner *runner;
	const struct vtb_schedule standard = { 0 };
	struct vtb_exec first = { 0 };
	struct vtb_stem stem;

	if (argc < 1)
		die("usage: engines without-stem-search PROGRAM [ARGUMENT...]");
	runner = open_runner(setting_by_name("snapshot-scan"), argv, 0);
	run_one(runner, &standard, &first);
	if (vtb_stem_of(&first, 1, &stem) <= 0)
		die("no stem");
	for (size_t i = 0; i < sizeof(strategies) / sizeof(*strategies); i++)
		compare_searches(runner, strategies[i], &stem);
	vtb_exec_fini(&first);
	vtb_stem_fini(&stem);
	vtb_runner_free(runner);
	return 0;
}
