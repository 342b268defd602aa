/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hunt_priv.h"
#include "predict_beyond.h"
#include "predict_list.h"
#include "predict_try.h"

#define REPORT_EVERY 0.1 /* seconds */
#define RATE_SECONDS 2.0

double vtb_hunt_now(void)
{
	return vtb_stop_clock();
}

struct vtb_tuple vtb_hunt_bound(const struct vtb_hunt_opts *opts)
{
	struct vtb_search_opts standard;

	vtb_search_opts_init(&standard);
	return (struct vtb_tuple){
		.l = opts->search.l == VTB_HUNT_DEFAULT ? standard.l : opts->search.l,
		.c = opts->search.c != VTB_HUNT_DEFAULT ? opts->search.c
		     : opts->search.match_states        ? VTB_UNBOUNDED
		                                        : standard.c,
		.v = opts->search.v != VTB_HUNT_DEFAULT ? opts->search.v
		     : opts->search.match_states        ? VTB_UNBOUNDED
		                                        : standard.v,
		.t = opts->search.t == VTB_HUNT_DEFAULT ? standard.t : opts->search.t,
	};
}

static const char *strategy_of(const struct vtb_hunt_opts *opts)
{
	return opts->search.strategy ? opts->search.strategy : opts->search.match_states ? "dfs" : "portfolio";
}

void vtb_hunt_search_opts(const struct vtb_hunt_opts *opts, struct vtb_search_opts *ret)
{
	const struct vtb_tuple bound = vtb_hunt_bound(opts);

	*ret = opts->search;
	ret->strategy = strategy_of(opts);
	ret->c = bound.c;
	ret->v = bound.v;
	ret->t = bound.t;
	ret->l = bound.l;
}

void vtb_hunt_opts_init(struct vtb_hunt_opts *opts)
{
	*opts = (struct vtb_hunt_opts){ 0 };
	vtb_search_opts_init(&opts->search);
	vtb_runner_opts_init(&opts->runner);
	opts->refine = -1;
	opts->search.c = opts->search.v = opts->search.t = opts->search.l = VTB_HUNT_DEFAULT;
}

void vtb_hunt_begin(struct vtb_hunt *hunt, const struct vtb_hunt_opts *opts, struct vtb_hunt_result *result,
                    struct vtb_error *err)
{
	*hunt = (struct vtb_hunt){
		.opts = opts, .result = result, .runner = result->runner, .err = err, .start = vtb_hunt_now()
	};
	hunt->deadline = hunt->start + vtb_hunt_seconds(opts);
	hunt->stop =
	    (struct vtb_stop){ .deadline = hunt->deadline, .interrupted = opts->interrupted, .aborted = opts->aborted };
	hunt->stop.memory = opts->memory_mb ? (uint64_t)opts->memory_mb << 20 : vtb_stop_memory_free() / 2;
	result->facts.strategy = strategy_of(opts);
	result->facts.seed = opts->search.seed;
	result->facts.bound = vtb_hunt_bound(opts);
	result->facts.focus_var = opts->search.focus_var;
	result->facts.focus_function = opts->search.focus_function;
	result->facts.focus_met = true;
}

bool vtb_hunt_interrupted(struct vtb_hunt *hunt)
{
	return vtb_stop_interrupted(&hunt->stop);
}

const char *vtb_hunt_stop_word(struct vtb_hunt *hunt)
{
	return vtb_hunt_interrupted(hunt) ? "interrupt" : hunt->stop.full_at > 0 ? "memory" : "time";
}

bool vtb_hunt_due(struct vtb_hunt *hunt)
{
	return vtb_stop_due(&hunt->stop);
}

void vtb_hunt_tell(struct vtb_hunt *hunt, enum vtb_hunt_phase phase)
{
	const double now = vtb_hunt_now(), passed = now - (hunt->last_report > 0 ? hunt->last_report : hunt->start);
	const bool news = phase != hunt->phase;
	struct vtb_hunt_progress p = { .phase = phase,
		                       .schedules =
		                           hunt->runner ? hunt->runner->schedules + hunt->elsewhere.schedules : 0,
		                       .seconds = now - hunt->start,
		                       .l = 0,
		                       .c = hunt->level_c,
		                       .v = hunt->level_v,
		                       .findings = (uint32_t)hunt->result->n_findings,
		                       .draining = vtb_hunt_interrupted(hunt) };

	hunt->phase = phase;
	if (!hunt->opts->progress || (!news && passed < REPORT_EVERY))
		return;
	if (passed > 0) { /* an average over about the last two seconds */
		const double now_rate = (double)(p.schedules - hunt->last_schedules) / passed,
		             weight = hunt->last_report > 0 && passed < RATE_SECONDS ? passed / RATE_SECONDS : 1;

		hunt->rate += (now_rate - hunt->rate) * weight;
	}
	p.rate = hunt->rate;
	hunt->last_report = now;
	hunt->last_schedules = p.schedules;
	hunt->opts->progress(&p, hunt->opts->data);
}

/* ---- all of it */

static int by_tuple(const void *a, const void *b)
{
	const struct vtb_finding *l = a, *r = b;
	const uint64_t left[] = { l->tuple.c, l->tuple.v, l->tuple.t, l->schedule_number },
	               right[] = { r->tuple.c, r->tuple.v, r->tuple.t, r->schedule_number };

	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

/* The default schedule's run may show what to be afraid of: try that before anything else. */
static int predict_first(struct vtb_hunt *hunt)
{
	const struct vtb_exec *first = &hunt->result->first;
	int r = vtb_predict_beyond(&hunt->predictions, first, 0, hunt->runner->tab);

	if (r >= 0 && !vtb_exec_fails_as(first, NULL))
		r = vtb_predict(&hunt->predictions, first, hunt->runner->tab);
	return r < 0 ? r : vtb_predict_try(hunt, &hunt->predictions);
}

#define PAST_SHARE 0.25 /* of the time, without --keep-going */

/* A failure of every run may hide one that an order is to blame for: look for that for a while. */
static int search_past(struct vtb_hunt *hunt)
{
	const double deadline = hunt->deadline - hunt->shift,
	             until = vtb_hunt_now() + (hunt->deadline - hunt->start) * PAST_SHARE;
	int r;

	if (!hunt->opts->keep_going && until < hunt->deadline)
		hunt->deadline = hunt->stop.deadline = until;
	r = vtb_hunt_past_misuse(hunt);
	r = r < 0 ? r : vtb_hunt_begin_stem(hunt);
	r = r < 0 ? r : vtb_hunt_search(hunt);
	hunt->deadline = hunt->stop.deadline = deadline + hunt->shift;
	return r;
}

static int core(struct vtb_hunt *hunt)
{
	struct vtb_hunt_result *result = hunt->result;
	bool failing = false;
	int r = vtb_hunt_first_runs(hunt, &failing);

	if (r >= 0 && result->verdict == VTB_V_NONE)
		r = vtb_hunt_begin_stem(hunt);
	if (r >= 0 && failing)
		r = vtb_hunt_add_finding(hunt, &result->first, hunt->runner->schedules, NULL);
	if (r >= 0 && result->verdict == VTB_V_NONE && !result->n_findings && hunt->before_search)
		r = hunt->before_search(hunt);
	if (r >= 0 && result->verdict == VTB_V_NONE && !result->n_findings)
		r = predict_first(hunt);
	if (r >= 0 && result->verdict == VTB_V_NONE && (!result->n_findings || hunt->opts->keep_going))
		r = hunt->search ? hunt->search(hunt) : vtb_hunt_search(hunt);
	else if (r >= 0 && result->verdict == VTB_V_REGARDLESS)
		r = search_past(hunt);
	else if (r >= 0 && !result->facts.stopped)
		result->facts.stopped = "found";
	if (r >= 0 && hunt->passes)
		r = vtb_hunt_blame_an_order(hunt);
	if (result->n_findings > 1)
		qsort(result->findings, result->n_findings, sizeof(*result->findings), by_tuple);
	if (result->n_findings && result->verdict == VTB_V_NONE)
		result->verdict = result->findings[0].exec.outcome.verdict;
	if (r ==
	    -ECANCELED) { /* the time was over, or somebody has said so, in some phase: what there is by then counts */
		result->facts.stopped = vtb_hunt_stop_word(hunt);
		r = 0;
	}
	result->facts.schedules = vtb_hunt_schedules(hunt);
	if (result->facts.search_schedules == 0)
		result->facts.search_schedules = result->facts.schedules;
	result->facts.seconds = vtb_hunt_now() - hunt->start;
	return r < 0 ? r : 0;
}

int vtb_hunt_core(struct vtb_hunt *hunt)
{
	int r;

	hunt->runner->stop = &hunt->stop;
	r = core(hunt);
	if (r == 0)
		r = vtb_predict_list(hunt);
	vtb_predictions_fini(&hunt->predictions);
	vtb_hunt_end_stem(hunt);
	return r;
}
