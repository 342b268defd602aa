/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/synth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "candidate_words.h"
#include "recorded_order.h"
#include "reordering.h"
#include "synth_priv.h"
#include "vtb/array.h"
#include "vtb/focus.h"
#include "vtb/mazurkiewicz.h"
#include "vtb/simulate.h"
#include "vtb/strategies.h"

void vtb_synth_opts_init(struct vtb_synth_opts *opts)
{
	*opts = (struct vtb_synth_opts){ .top = VTB_SYNTH_TOP };
	vtb_search_opts_init(&opts->search);
}

void vtb_synth_fini(struct vtb_synth *s)
{
	synth_keep_first(s, 0);
	free(s->candidates);
	*s = (struct vtb_synth){ 0 };
}

/* ---- the search */

static void on_executed(struct vtb_search *search, const struct vtb_schedule *schedule, const struct vtb_exec *x,
                        uint64_t class_id, bool new_class, void *data)
{
	struct synthesis *y = data;
	uint64_t *met = NULL;
	int r = 0;

	(void)search;
	(void)new_class; /* of that search; there may be two, and the recorded order's class counts as met */
	if (y->status < 0 || x->outcome.verdict == VTB_V_INFEASIBLE)
		return;
	if (!y->opts.search.exhaust)
		r = vtb_bounded_map_add(&y->classes, class_id, 0, &met);
	if (r >= 0 && !met)
		r = synth_add_class(y, schedule, x);
	y->status = r < 0 ? r : 0;
}

static enum vtb_search_reply on_failing(struct vtb_search *search, const struct vtb_schedule *s,
                                        const struct vtb_exec *x, struct vtb_tuple t, void *data)
{
	(void)search;
	(void)s;
	(void)x;
	(void)t;
	return ((struct synthesis *)data)->status < 0 ? VTB_SEARCH_STOP : VTB_SEARCH_GO_ON;
}

static bool on_progress(struct vtb_search *search, void *data)
{
	(void)search;
	return ((struct synthesis *)data)->status < 0;
}

/* Searched by stretches, not by whole runs: unless somebody asks for more than that can do. */
static bool is_long(const struct synthesis *y)
{
	const struct vtb_search_opts *s = &y->opts.search;

	return y->trace->n_events > SYNTH_LONG && (y->strategy->can & VTB_STRATEGY_STRETCHES) && s->t <= 2 &&
	       !s->exhaust;
}

static int search_on(struct synthesis *y, struct vtb_runner *runner, const struct vtb_search_opts *opts,
                     struct vtb_error *err)
{
	const struct vtb_search_calls calls = {
		.failing = on_failing, .executed = on_executed, .progress = on_progress, .data = y
	};
	struct vtb_search *search;
	int r = synth_begin_search(y, runner, opts, &search, err);

	if (r < 0)
		return r;
	r = vtb_search_run(search, &calls, err);
	y->ret->end = r;
	y->ret->stats = *vtb_search_stats(search);
	vtb_search_claim(search, &y->ret->claim);
	vtb_search_statement(search, y->ret->statement, sizeof(y->ret->statement));
	vtb_search_free(search);
	if (y->status < 0)
		return vtb_error_set(err, y->status, NULL, 0, "out of memory for candidates");
	return r < 0 ? r : 0;
}

/* ---- the recorded order */

static bool failed(const struct vtb_trace *trace)
{
	return vtb_verdict_exit_code(trace->outcome.verdict) == 1;
}

/* Candidate 1, as it comes out of the simulation. */
static int add_observed(struct synthesis *y, struct vtb_error *err)
{
	const struct vtb_schedule *pointer = &y->log;
	struct vtb_exec x = { 0 };
	int r = vtb_recorded_order(y->trace, &y->log);

	if (r >= 0)
		r = vtb_runner_run(y->runner, &pointer, 1, &x, err);
	if (r >= 0)
		r = synth_meet_class(y, x.events, x.n_events);
	if (r >= 0)
		r = synth_add(y, &y->log, &x, true, 0);
	vtb_exec_fini(&x);
	return r;
}

/* Where only the order of sync operations is known, the accesses between may have come in other orders: a quarter of
 * the budget. */
static int search_consistent(struct synthesis *y, struct vtb_error *err)
{
	struct vtb_search_opts opts = y->opts.search;
	struct vtb_runner *runner;
	int r = vtb_constrained_new(y->runner, &y->log, &runner);

	if (r < 0)
		return vtb_error_set(err, r, NULL, 0, "out of memory");
	opts.budget = is_long(y) ? 1 : opts.budget / 4 + 1;
	synth_limit_time(y, &opts, 0.25);
	y->consistent = true;
	r = search_on(y, runner, &opts, err);
	y->consistent = false;
	vtb_runner_free(runner);
	return r;
}

/* The order of a passing recording is known to pass; that of a failing one is candidate 1. */
static int begin_with_recording(struct synthesis *y, struct vtb_error *err)
{
	int r;

	if (!failed(y->trace))
		r = synth_meet_class(y, y->trace->events, y->trace->n_events);
	else
		r = add_observed(y, err);
	if (r < 0)
		return vtb_error_set(err, r, NULL, 0, "cannot begin with the recorded order: %s", vtb_strerror(r));
	return failed(y->trace) && y->trace->order == VTB_ORDER_SYNC ? search_consistent(y, err) : 0;
}

/* ---- words for those that are kept */

int synth_words(struct synthesis *y, struct vtb_candidate *c, const struct vtb_schedule *s, const struct vtb_exec *x,
                const struct vtb_reordering *reordering)
{
	c->where = c->observed ? strdup("the recorded order") : vtb_words_where(s, x, &y->trace->tab);
	c->why = c->deadlock   ? strdup(x->outcome.signature)
	         : c->observed ? strdup("the recorded order, which failed")
	                       : vtb_words_why(reordering, x, &y->trace->tab);
	c->schedule.note = c->where ? strdup(c->where) : NULL;
	return c->where && c->why && c->schedule.note ? synth_reorders(y, x, &c->schedule) : -ENOMEM;
}

static int describe(struct synthesis *y, struct vtb_candidate *c, struct vtb_error *err)
{
	const struct vtb_schedule *pointer = &c->schedule;
	struct vtb_exec x = { 0 };
	struct vtb_reordering reordering;
	int r = vtb_runner_run(y->runner, &pointer, 1, &x, err);

	if (r >= 0)
		r = vtb_reordering_of(&y->reference, &x, &reordering);
	if (r >= 0)
		r = synth_words(y, c, &c->schedule, &x, &reordering);
	vtb_exec_fini(&x);
	return r < 0 ? vtb_error_set(err, r, NULL, 0, "out of memory while describing candidates") : 0;
}

/* All operations of a simulated run are recorded ones: the recording names them all. */
static int describe_all(struct synthesis *y, struct vtb_error *err)
{
	const struct vtb_exec names = { .events = y->trace->events, .n_events = y->trace->n_events };
	struct vtb_schedule **schedules = calloc(y->ret->n_candidates + 1, sizeof(*schedules));
	int r = schedules ? 0 : -ENOMEM;

	for (size_t i = 0; r >= 0 && i < y->ret->n_candidates; i++)
		if (!y->ret->candidates[i].where && synth_may_describe(y, i))
			r = describe(y, &y->ret->candidates[i], err);
	for (size_t i = 0; r >= 0 && i < y->ret->n_candidates; i++)
		schedules[i] = &y->ret->candidates[i].schedule;
	if (r >= 0)
		r = vtb_exec_name_many(&names, &y->trace->tab, schedules, y->ret->n_candidates);
	free(schedules);
	return r < 0 ? vtb_error_set(err, r, NULL, 0, "out of memory while describing candidates") : 0;
}

static void fill_opts(struct synthesis *y)
{
	struct vtb_search_opts *s = &y->opts.search;

	y->opts.top = y->opts.top ? y->opts.top : VTB_SYNTH_TOP;
	if (!s->budget)
		s->budget = is_long(y) ? 4 * y->opts.top : synth_default_budget(y->trace->n_events);
}

static bool has_operations(const struct vtb_trace *trace)
{
	for (size_t i = 0; i < trace->n_events; i++)
		if (trace->events[i].kind != VTB_E_FAIL && vtb_event_is(&trace->events[i], VTB_EV_VISIBLE))
			return true;
	return false;
}

/* A name nobody has would silently leave nothing to search. */
static int check_focus(const struct vtb_trace *trace, const struct vtb_search_opts *opts, struct vtb_error *err)
{
	char name[200];

	if (vtb_focus_unknown_variable(opts, &trace->tab, name, sizeof(name)))
		return vtb_error_set(err, -EINVAL, NULL, 0, "the trace has no variable \"%s\" to focus on", name);
	if (vtb_focus_unknown_function(opts, &trace->tab, name, sizeof(name)))
		return vtb_error_set(err, -EINVAL, NULL, 0, "the trace has no function \"%s\" to focus on", name);
	return 0;
}

static int synthesize(struct synthesis *y, struct vtb_error *err)
{
	int r = vtb_reference_init(&y->reference, y->trace->events, y->trace->n_events, y->trace->tab.n_variables);

	if (r >= 0)
		r = vtb_foresight_new(y->trace->events, y->trace->n_events, &y->trace->tab, &y->foresight);
	if (r < 0)
		return vtb_error_set(err, r, NULL, 0, "out of memory");
	r = vtb_simulate_new(y->trace, &y->runner, err);
	if (r >= 0)
		r = begin_with_recording(y, err);
	synth_limit_time(y, &y->opts.search, 1);
	if (r >= 0)
		r = is_long(y) ? long_search(y, err) : search_on(y, y->runner, &y->opts.search, err);
	if (r < 0)
		return r;
	synth_keep_best(y->ret, y->opts.top);
	return describe_all(y, err);
}

int vtb_synth_run(struct vtb_trace *trace, const struct vtb_synth_opts *opts, struct vtb_synth *ret,
                  struct vtb_error *err)
{
	struct synthesis y = { .trace = trace, .opts = *opts, .ret = ret };
	int r;

	*ret = (struct vtb_synth){ 0 };
	if (!has_operations(trace))
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, NULL, 0,
		                     "the trace has no visible operation: there is nothing to schedule");
	if (opts->search.match_states)
		return vtb_error_set(
		    err, -EINVAL, NULL, 0,
		    "--match-states: a recorded trace does not tell what memory holds after other orders, so two "
		    "states cannot be compared; vtb hunt --match-states runs the program");
	y.opts.search.strategy = opts->search.strategy ? opts->search.strategy : "cvt";
	y.opts.search.on_trace = true;
	r = vtb_strategies_check(&y.opts.search, err);
	if (r < 0)
		return r;
	y.strategy = vtb_strategy_find(y.opts.search.strategy);
	fill_opts(&y);
	synth_begin_time(&y);
	ret->strategy = y.strategy->name;
	ret->reads_from = vtb_strategies_by_reads(&y.opts.search);
	ret->symmetry = y.opts.search.symmetry && !y.opts.search.exhaust;
	r = check_focus(trace, &y.opts.search, err);
	if (r >= 0)
		r = synthesize(&y, err);
	vtb_runner_free(y.runner);
	vtb_reference_fini(&y.reference);
	vtb_foresight_free(y.foresight);
	vtb_bounded_map_fini(&y.classes);
	vtb_schedule_fini(&y.log);
	vtb_pruning_end(&y.pruning);
	if (r < 0)
		vtb_synth_fini(ret);
	return r < 0 ? r : 0;
}
