/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "causes.h"
#include "extent.h"
#include "hunt_options.h"
#include "hunt_priv.h"
#include "predict_beyond.h"
#include "predict_list.h"
#include "predict_try.h"
#include "shrink.h"
#include "vtb/log.h"

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

/* ---- the search */

struct watch {
	struct vtb_hunt *hunt;
	struct vtb_exec failing;  /* copy of the run that stopped the search */
	uint64_t schedule_number; /* its place among all runs, those of its batch that came after it left out */
	uint64_t runs_before;     /* runs that were none of the search */
	bool found;
	int trouble;
};

static bool known(const struct vtb_hunt_result *result, const struct vtb_exec *x)
{
	for (size_t i = 0; i < result->n_findings; i++)
		if (vtb_exec_fails_as(x, result->findings[i].exec.outcome.signature))
			return true;
	return false;
}

static enum vtb_search_reply on_failing(struct vtb_search *search, const struct vtb_schedule *schedule,
                                        const struct vtb_exec *x, struct vtb_tuple tuple, void *data)
{
	struct watch *watch = data;

	(void)schedule;
	(void)tuple;
	if (watch->found || known(watch->hunt->result, x) || vtb_hunt_is_known(watch->hunt, x))
		return VTB_SEARCH_GO_ON;
	watch->trouble = vtb_exec_copy(x, &watch->failing);
	watch->found = watch->trouble == 0;
	watch->schedule_number = watch->runs_before + vtb_search_stats(search)->schedules;
	return VTB_SEARCH_STOP;
}

/* What a run lets one fear that was told whole: what is made from it counts its operations. A class may have been met
 * before by runs that were not. */
static void learn(struct watch *watch, const struct vtb_exec *x, uint64_t class_id, bool new_class)
{
	struct vtb_predictions *p = &watch->hunt->predictions;
	const struct vtb_symtab *tab = watch->hunt->runner->tab;

	p->stem = vtb_hunt_stem(watch->hunt);
	watch->trouble = vtb_predict_beyond(p, x, class_id, tab);
	if (watch->trouble == 0 && new_class && !vtb_exec_fails_as(x, NULL) && vtb_predict_wants(p, x))
		watch->trouble = vtb_predict(p, x, tab);
	p->stem = NULL;
}

static void on_executed(struct vtb_search *search, const struct vtb_schedule *schedule, const struct vtb_exec *x,
                        uint64_t class_id, bool new_class, void *data)
{
	struct watch *watch = data;
	const struct vtb_hunt_part *part = watch->hunt->opts->part;

	(void)search;
	if (watch->trouble == 0 && !x->partial && !x->owned)
		learn(watch, x, class_id, new_class);
	if (new_class && !x->partial && part && watch->trouble == 0)
		watch->trouble = part->new_class(x, watch->hunt->runner->tab, part->data);
	watch->hunt->passes |= vtb_hunt_refutes_regardless(watch->hunt->result, x);
	vtb_extent_note_run(watch->hunt, schedule, x);
}

static bool on_progress(struct vtb_search *search, void *data)
{
	struct watch *watch = data;
	const struct vtb_search_stats *stats = vtb_search_stats(search);

	watch->hunt->level_c = stats->level_c;
	watch->hunt->level_v = stats->level_v;
	watch->runs_before = watch->hunt->runner->schedules - watch->hunt->explaining - stats->schedules;
	vtb_hunt_tell(watch->hunt, VTB_HUNT_SEARCHING);
	if (watch->hunt->opts->enough &&
	    watch->hunt->opts->enough(stats, vtb_hunt_now() - watch->hunt->start, watch->hunt->opts->enough_data))
		watch->hunt->deadline = watch->hunt->stop.deadline = vtb_hunt_now();
	if (watch->hunt->enough && watch->hunt->enough(watch->hunt, search))
		return watch->hunt->satisfied = true;
	return vtb_hunt_interrupted(watch->hunt) || watch->trouble < 0 || watch->hunt->passes ||
	       vtb_extent_stuck(stats) || watch->hunt->predictions.next < watch->hunt->predictions.n_cycles;
}

/* Search until it ends, or until a new failure, which is worked out at once. Returns the end, or an error. */
static int search_once(struct vtb_hunt *hunt, struct vtb_search *search)
{
	struct watch watch = { .hunt = hunt,
		               .runs_before =
		                   hunt->runner->schedules - hunt->explaining - vtb_search_stats(search)->schedules };
	const struct vtb_search_calls calls = {
		.failing = on_failing,
		.executed = on_executed,
		.progress = on_progress,
		.data = &watch,
		.known_will_do = true,
		.little_will_do = true,
	};
	const uint64_t late = vtb_search_stats(search)->late;
	int end = vtb_search_run(search, &calls, hunt->err), r = end;

	hunt->explaining += vtb_search_stats(search)->late - late;
	if (watch.trouble < 0)
		r = watch.trouble;
	if (r >= 0 && watch.found)
		r = vtb_hunt_whole(hunt, &watch.failing);
	if (r == 0 && watch.found) {
		const struct vtb_search_stats *stats = vtb_search_stats(search);

		r = vtb_hunt_add_finding(hunt, &watch.failing, watch.schedule_number,
		                         stats->failing > 0 && stats->lower_levels_complete &&
		                                 hunt->result->verdict != VTB_V_REGARDLESS
		                             ? &stats->lowest
		                             : NULL);
	}
	vtb_exec_fini(&watch.failing);
	return r < 0 ? r : watch.found ? VTB_SEARCH_FOUND : end;
}

static bool go_on(struct vtb_hunt *hunt, size_t findings_before)
{
	/* a failure that did not come again proves nothing: search on */
	return (hunt->opts->keep_going || hunt->result->n_findings == findings_before) && !vtb_hunt_due(hunt);
}

static int search(struct vtb_hunt *hunt)
{
	struct vtb_search_opts opts;
	struct vtb_search *s = NULL;
	struct vtb_pruning pruning = { 0 };
	int end;

	vtb_hunt_search_opts(hunt->opts, &opts);
	opts.seconds = hunt->deadline - vtb_hunt_now();
	opts.each = hunt->run_seconds;
	vtb_hunt_memory(hunt->opts, hunt->stop.memory, &opts);
	if (opts.seconds <= 0)
		opts.seconds = 0.001;
	opts.stem = vtb_hunt_stem(hunt);
	end = vtb_hunt_begin_search(hunt, &opts, &pruning, &s);
	hunt->predicate = pruning.predicate;
	if (end >= 0)
		end = vtb_search_made(s, &(struct vtb_schedule){ .policy = VTB_SCHEDULE_RUN_TO_BLOCK },
		                      opts.stem ? &hunt->first_short : &hunt->result->first);
	if (end < 0) {
		vtb_search_free(s);
		hunt->predicate = NULL;
		vtb_pruning_end(&pruning);
		return end;
	}
	for (size_t before;;) {
		bool predicted = false;

		before = hunt->result->n_findings;
		end = search_once(hunt, s);
		if (end == VTB_SEARCH_CALLER && hunt->predictions.next < hunt->predictions.n_cycles) {
			const int r = vtb_predict_try(hunt, &hunt->predictions);

			predicted = r == 0 && hunt->result->n_findings == before;
			end = r < 0 ? r : VTB_SEARCH_CALLER;
		}
		if (hunt->satisfied || hunt->passes || (end != VTB_SEARCH_FOUND && end != VTB_SEARCH_CALLER) ||
		    vtb_extent_stuck(vtb_search_stats(s)) || (!predicted && !go_on(hunt, before)) || vtb_hunt_due(hunt))
			break;
	}
	if (end >= 0) { /* the last runs may have shown something too */
		int r = vtb_predict_try(hunt, &hunt->predictions);

		r = r < 0 ? r : vtb_extent_take(hunt, s, end);
		end = r < 0 ? r : end;
	}
	vtb_search_free(s);
	hunt->predicate = NULL;
	vtb_pruning_end(&pruning);
	return end < 0 ? end : 0;
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
	r = r < 0 ? r : search(hunt);
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
		r = hunt->search ? hunt->search(hunt) : search(hunt);
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
