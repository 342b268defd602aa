/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/cores.h"

#include <errno.h>
#include <stdlib.h>

#include "core_probe.h"
#include "vtb/array.h"
#include "vtb/rng.h"
#include "vtb/strategies.h"
#include "vtb/wire.h"

#define REFUTED_MAX 200u /* times that the core of one run is taken again */
#define SEEK_BATCHES 24u /* without a new class: there is none to be had */

struct cause {
	struct vtb_cores *ret;
	struct core_runs runs;
	struct core_probe probe;
	int trouble;
};

static void core_fini(struct vtb_core *core)
{
	free(core->literals);
	vtb_exec_fini(&core->exec);
}

void vtb_cores_fini(struct vtb_cores *cores)
{
	for (size_t i = 0; i < cores->n_cores; i++)
		core_fini(&cores->cores[i]);
	free(cores->cores);
	vtb_exec_fini(&cores->passed);
	*cores = (struct vtb_cores){ 0 };
}

/* ---- every class of runs, if there is time */

static bool passed_whole(const struct vtb_exec *x)
{
	return x->n_events && !x->partial && !x->brief && !(x->outcome.flags & VTB_OUT_DIVERGED) &&
	       vtb_verdict_exit_code(x->outcome.verdict) == 0;
}

static void on_executed(struct vtb_search *search, const struct vtb_schedule *schedule, const struct vtb_exec *x,
                        uint64_t class_id, bool new_class, void *data)
{
	struct cause *c = data;

	(void)search;
	(void)schedule;
	(void)class_id;
	if (new_class && c->trouble >= 0)
		c->trouble = core_runs_add(&c->runs, x);
	if (new_class && c->trouble >= 0 && !c->ret->passed.n_events && passed_whole(x))
		c->trouble = vtb_exec_copy(x, &c->ret->passed);
}

static bool on_progress(struct vtb_search *search, void *data)
{
	struct cause *c = data;
	const uint64_t made = c->probe.made;
	bool over;

	c->probe.made += vtb_search_stats(search)->schedules;
	over = c->trouble < 0 || core_probe_over(&c->probe) ||
	       (c->probe.opts->enough && c->probe.opts->enough(c->probe.opts->data));
	c->probe.made = made;
	return over;
}

/* All classes that orders alone make were made; what time and chance can do is another matter. */
static bool is_all(const struct vtb_search *search, const struct vtb_claim *claim, int end)
{
	const struct vtb_search_stats *stats = vtb_search_stats(search);

	return end == VTB_SEARCH_EXHAUSTED && claim->least && !claim->dropped && !stats->diverged && !stats->stopped &&
	       !stats->assumed;
}

static bool by_chance(const struct vtb_exec *x)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].flags & VTB_EVF_DEVIATED && x->events[i].deviation)
			return true;
	return false;
}

/* 0: *ret->exhausted says whether that was all. */
static int explore(struct cause *c, const char *strategy, uint64_t budget)
{
	const struct vtb_search_calls calls = {
		.failing = vtb_search_go_on, .executed = on_executed, .progress = on_progress, .data = c
	};
	struct vtb_search_opts opts;
	struct vtb_search *search = NULL;
	struct vtb_claim claim = { 0 };
	int r;

	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.c = opts.v = opts.t = opts.l = VTB_UNBOUNDED;
	opts.seed = c->probe.opts->seed;
	opts.budget = budget;
	opts.tell_owned = true; /* what is passed over where a lock orders it is what a core is about */
	r = vtb_strategies_begin(c->probe.runner, &opts, &search, c->probe.err);
	if (r < 0)
		return r;
	r = vtb_search_run(search, &calls, c->probe.err);
	vtb_search_claim(search, &claim);
	c->ret->exhausted = r >= 0 && is_all(search, &claim, r) && !c->runs.full;
	c->ret->chances_left_out = claim.unexplored != 0;
	c->probe.made += vtb_search_stats(search)->schedules;
	vtb_search_free(search);
	return r < 0 ? r : c->trouble < 0 ? c->trouble : 0;
}

/* ---- the core of one failing run */

static struct vtb_order_literal literal_of(const struct core_runs *runs, size_t failing, const struct core_literal *l)
{
	struct vtb_order_literal ret = { .before = runs->ops[l->before], .after = runs->ops[l->after] };

	core_number(&runs->runs[failing], l->before, &ret.before);
	core_number(&runs->runs[failing], l->after, &ret.after);
	return ret;
}

static int by_place(const void *a, const void *b)
{
	const struct core_literal *l = a, *r = b;

	return l->distance < r->distance ? -1 : l->distance > r->distance;
}

/* In the order in which the run came to their second operations. */
static int fill_literals(const struct core_runs *runs, size_t failing, const struct core_literals *literals,
                         const struct core_set *set, struct vtb_core *ret)
{
	struct core_literal *sorted = calloc(set->n_places + 1, sizeof(*sorted));

	ret->literals = calloc(set->n_places + 1, sizeof(*ret->literals));
	for (size_t i = 0; sorted && i < set->n_places; i++) {
		const uint32_t at = core_at(&runs->runs[failing], literals->literals[set->places[i]].after);

		sorted[i] = literals->literals[set->places[i]];
		sorted[i].distance = at ? at : UINT32_MAX;
	}
	if (sorted)
		qsort(sorted, set->n_places, sizeof(*sorted), by_place);
	for (size_t i = 0; sorted && ret->literals && i < set->n_places; i++)
		ret->literals[ret->n_literals++] = literal_of(runs, failing, &sorted[i]);
	free(sorted);
	return sorted && ret->literals ? 0 : -ENOMEM;
}

static uint64_t fewest_admitted(const struct core_runs *runs, const struct core_literals *literals,
                                const struct core_set *set)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < set->n_places; i++) {
		const uint64_t n = core_admitted(runs, literals, set, i);

		least = n < least ? n : least;
	}
	return least;
}

static int keep(struct cause *c, size_t failing, const struct core_literals *literals, const struct core_set *set,
                uint64_t probes)
{
	struct vtb_core core = { .probes = probes, .smallest = set->smallest, .exhausted = c->ret->exhausted };
	int r = vtb_array_room(c->ret, cores);

	if (r >= 0)
		r = fill_literals(&c->runs, failing, literals, set, &core);
	if (r >= 0)
		r = vtb_exec_copy(&c->runs.runs[failing].exec, &core.exec);
	if (r < 0) {
		core_fini(&core);
		return r;
	}
	core.admitted_min = fewest_admitted(&c->runs, literals, set);
	for (size_t i = 0; i < c->runs.n_runs; i++) {
		struct core_run *run = &c->runs.runs[i];

		if (run->ending != CORE_FAILED || !core_has(run, literals, set))
			continue;
		core.failing++;
		run->explained = true;
	}
	c->ret->cores[c->ret->n_cores++] = core;
	return 1;
}

/* 1: a run refutes it; 2: it is believed; 0: there was no time to ask, and it is not the first. */
static int probe(struct cause *c, size_t failing, const struct core_literals *literals, const struct core_set *set,
                 uint64_t *probes)
{
	const int r = core_refute(&c->probe, failing, literals, set, probes);

	if (r)
		return r;
	return core_probe_over(&c->probe) && c->ret->n_cores ? 0 : 2;
}

/* 1: there is one, and it is kept; 0: the same orders passed. */
static int explain(struct cause *c, size_t failing)
{
	struct core_literals literals;
	struct core_set set = { 0 };
	uint64_t probes = 0;
	int r = 1;

	for (unsigned i = 0; r == 1 && i < REFUTED_MAX; i++) { /* runs make new pairs known, and new passing runs */
		core_set_fini(&set);
		r = core_literals_of(&c->runs, failing, &literals);
		if (r < 0)
			return r;
		if (!c->ret->n_cores && !i)
			c->ret->orders = literals.n_literals;
		literals.sampled = !c->ret->exhausted;
		r = core_smallest(&c->runs, &literals, &set);
		if (r > 0 && !c->ret->exhausted)
			r = probe(c, failing, &literals, &set, &probes);
		else if (r > 0)
			r = 2;
		if (r == 2)
			r = keep(c, failing, &literals, &set, probes) < 0 ? -ENOMEM : 2;
		core_literals_fini(&literals);
	}
	core_set_fini(&set);
	return r == 2;
}

/* ---- all classes */

/* `forgotten`: those from which no core can be taken, too. */
static int64_t unexplained(const struct cause *c, bool forgotten)
{
	for (size_t i = 0; i < c->runs.n_runs; i++)
		if (c->runs.runs[i].ending == CORE_FAILED && !c->runs.runs[i].explained &&
		    (forgotten || !c->runs.runs[i].forgotten))
			return (int64_t)i;
	return -1;
}

/* Of the runs there are. */
static int explain_all(struct cause *c)
{
	int64_t i;

	while (c->ret->n_cores < VTB_CORES_MAX && (i = unexplained(c, false)) >= 0 && !core_runs_stopped(&c->runs)) {
		int r = explain(c, (size_t)i);

		if (r < 0)
			return r;
		if (r == 0) {
			c->ret->explained = false;
			c->runs.runs[i].explained = true; /* looked at */
		}
	}
	return 0;
}

/* The cores of failing runs that have not been made yet. */
static int seek_more(struct cause *c)
{
	int r = 0;

	for (unsigned dry = 0; dry < SEEK_BATCHES && r >= 0 && !core_probe_over(&c->probe); dry++) {
		const size_t before = c->ret->n_cores;

		r = core_seek(&c->probe, c->ret->cores, c->ret->n_cores);
		if (r >= 0)
			r = explain_all(c);
		if (c->ret->n_cores > before)
			dry = 0;
	}
	return r;
}

/* Cores of the runs there are: what was there goes. */
static int explain_anew(struct cause *c)
{
	for (size_t i = 0; i < c->ret->n_cores; i++)
		core_fini(&c->ret->cores[i]);
	c->ret->n_cores = 0;
	c->ret->explained = true;
	for (size_t i = 0; i < c->runs.n_runs; i++)
		c->runs.runs[i].explained = false;
	return c->runs.passing ? explain_all(c) : 0;
}

/* If there are more than a few runs, a core is asked for early, so that runs are known that refute what comes to mind
 * first: a systematic search, with the time it has, sees but one corner of a large program. Walks see some of the rest.
 */
static int make_runs(struct cause *c)
{
	int r = explore(c, "dpor", c->probe.budget / 16);

	if (r < 0 || c->ret->exhausted)
		return r;
	if (c->probe.runner->sparse_pays)
		r = explore(c, "random", c->probe.budget / 16);
	if (r < 0)
		return r;
	r = c->runs.passing ? 0 : core_seek(&c->probe, NULL, 0);
	if (r >= 0)
		r = explain_anew(c);
	if (r >= 0 && !core_probe_over(&c->probe))
		r = explore(c, "dpor", c->probe.budget * 3 / 8);
	return r;
}

static int find(struct cause *c, const struct vtb_exec *failing)
{
	int r = core_runs_add(&c->runs, failing);

	if (r <= 0)
		return r;
	r = make_runs(c);
	c->ret->exhausted &= !by_chance(failing);
	if (r >= 0 && (!core_probe_over(&c->probe) || !c->ret->n_cores))
		r = explain_anew(c);
	if (r >= 0 && c->ret->n_cores && !c->ret->exhausted)
		r = seek_more(c);
	return r;
}

int vtb_cores_find(struct vtb_runner *runner, const struct vtb_exec *failing, const struct vtb_cores_opts *opts,
                   struct vtb_cores *ret, struct vtb_error *err)
{
	struct cause c = { .ret = ret,
		           .runs = { .tab = runner->tab,
		                     .predicate = opts->predicate,
		                     .stop = opts->stop,
		                     .data = opts->data,
		                     .signature = failing->outcome.signature,
		                     .verdict = failing->outcome.verdict },
		           .probe = { .runner = runner, .opts = opts, .rng = vtb_mix64(opts->seed + 41), .err = err } };
	int r;

	*ret = (struct vtb_cores){ .explained = true };
	c.probe.runs = &c.runs;
	c.probe.budget = opts->budget ? opts->budget : VTB_CORES_BUDGET;
	r = find(&c, failing);
	ret->runs = c.probe.made;
	ret->passing = c.runs.passing;
	ret->failing = c.runs.failing;
	ret->explained &= ret->n_cores > 0 && unexplained(&c, true) < 0;
	core_runs_fini(&c.runs);
	if (r == -ECANCELED) {
		ret->exhausted = false;
		r = 0;
	}
	if (r < 0)
		vtb_cores_fini(ret);
	return r < 0 ? r : 0;
}
