/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/search.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search_priv.h"
#include "vtb/stop.h"
#include "vtb/wire.h"

void vtb_search_opts_init(struct vtb_search_opts *opts)
{
	*opts = (struct vtb_search_opts){
		.c = 2, .v = 2, .t = 2, .l = 0, .symmetry = true, .epsilon = 0.01, .memory = VTB_SEARCH_MEMORY
	};
}

void vtb_search_free(struct vtb_search *search)
{
	if (!search)
		return;
	vtb_hand_over_fini(&search->turn);
	vtb_coverage_fini(&search->coverage);
	vtb_mazurkiewicz_free(search->order);
	vtb_clock_order_fini(&search->clocks);
	vtb_hash_set_fini(&search->classes);
	vtb_selective_fini(&search->selective);
	vtb_hash_set_fini(&search->states.set);
	vtb_made_runs_fini(&search->made);
	vtb_search_clear_batch(search, search->n_plans);
	free(search->prints);
	free(search->prefix);
	free(search->group);
	free(search->group_execs);
	free(search->how);
	free(search->plans);
	free(search->execs);
	free(search->schedules);
	free(search);
}

/* Every level has such schedules. */
static void withdraw(struct vtb_claim *claim, const struct vtb_search_stats *s)
{
	claim->complete = claim->unbounded = claim->least = false;
	claim->c = claim->v = claim->orders_c = 0;
	snprintf(claim->text, sizeof(claim->text),
	         "in %" PRIu64 " run%s a thread was held back as if it spun though its state did not repeat (the "
	         "first: %s): what it would have done is not known",
	         s->assumed, s->assumed == 1 ? "" : "s", s->assumed_at);
}

/* Every order of operations was run, and with each one order in which clocks were read. */
static void leave_clocks_out(struct vtb_claim *claim, const struct vtb_search_stats *s)
{
	const size_t used = strlen(claim->text);

	claim->complete = claim->unbounded = false;
	snprintf(claim->text + used, sizeof(claim->text) - used,
	         "%sbut for the order in which threads read a clock, which is not searched (in %" PRIu64
	         " run%s no operation decided it; the first: threads %s)",
	         used ? ", " : "", s->clocks, s->clocks == 1 ? "" : "s", s->clocks_of);
}

/* Threads read clocks right behind operations: by states both orders were run. */
static bool in_every_way(const struct vtb_claim *c)
{
	return c->by_states && c->unbounded;
}

static void take_claim(struct vtb_search *search)
{
	search->claim = (struct vtb_claim){ 0 };
	vtb_hand_over_claim(&search->turn, &search->claim);
	if (!(search->strategy->can & VTB_STRATEGY_FOCUS))
		search->claim.focus_free = VTB_FOCUS_VAR | VTB_FOCUS_FUNCTION;
	if (search->stats.assumed)
		withdraw(&search->claim, &search->stats);
	else if (search->stats.clocks && search->claim.complete && !in_every_way(&search->claim))
		leave_clocks_out(&search->claim, &search->stats);
}

enum vtb_search_equivalence vtb_search_equivalence(const struct vtb_search_opts *o, uint32_t can)
{
	const bool unasked = vtb_search_prunes(o) && !o->on_trace && can & VTB_STRATEGY_READS_FROM;

	if (o->equivalence != VTB_EQUIVALENCE_DEFAULT)
		return o->equivalence;
	return o->reads_from || unasked ? VTB_EQUIVALENCE_READS : VTB_EQUIVALENCE_ORDER;
}

static void begin_states(struct vtb_search *search)
{
	if (!search->opts.match_states)
		return;
	search->opts.memory /= 2;
	vtb_hash_set_init(&search->states.set, search->opts.memory);
	search->space.states = &search->states;
}

static uint64_t searches; /* that were begun in this process */

int vtb_search_begin(struct vtb_runner *runner, const struct vtb_strategy *strategy, const struct vtb_search_opts *opts,
                     struct vtb_search **ret, struct vtb_error *err)
{
	struct vtb_search *search;
	int r;

	search = calloc(1, sizeof(*search));
	if (!search)
		return vtb_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	search->runner = runner;
	search->number = __atomic_add_fetch(&searches, 1, __ATOMIC_RELAXED);
	search->opts = *opts;
	search->opts.epsilon = opts->epsilon > 0 ? opts->epsilon : 0.01;
	search->opts.memory = opts->memory ? opts->memory : VTB_SEARCH_MEMORY;
	search->opts.equivalence = vtb_search_equivalence(opts, strategy->can);
	search->strategy = strategy;
	search->space = (struct vtb_space){ .opts = &search->opts,
		                            .tab = runner->tab,
		                            .stop = runner->stop,
		                            .coverage = &search->coverage,
		                            .below_c = VTB_UNBOUNDED,
		                            .below_v = VTB_UNBOUNDED };
	search->coverage.tab = runner->tab;
	search->made.real_time = runner->real_time;
	search->made.orders_only = opts->exhaust || strategy->can & VTB_STRATEGY_WALKS; /* whose samples all count */
	vtb_selective_init(&search->selective, runner,
	                   opts->exhaust || !(strategy->can & VTB_STRATEGY_PAST) ? VTB_SELECTIVE_OFF : opts->selective);
	vtb_search_tell_selective(search);
	search->space.ahead = vtb_search_goes_ahead(search);
	begin_states(search);
	r = vtb_search_make_room(search);
	if (r >= 0)
		r = vtb_mazurkiewicz_new(runner->tab, &search->order);
	if (r >= 0)
		r = vtb_hand_over_begin(&search->turn, &search->space, strategy, opts->relief);
	if (r < 0) {
		vtb_search_free(search);
		return vtb_error_set(err, r, NULL, 0, "the strategy \"%s\" cannot begin: %s", strategy->name,
		                     vtb_strerror(r));
	}
	take_claim(search);
	*ret = search;
	return 0;
}

int vtb_search_made(struct vtb_search *search, const struct vtb_schedule *schedule, const struct vtb_exec *x)
{
	search->space.vast = x->owned;
	return vtb_made_runs_add(&search->made, schedule, x);
}

/* ---- one run */

static void note_divergence(struct vtb_search *search, const struct vtb_schedule *s)
{
	const struct vtb_op *op = s->n_deviations ? &s->deviations[s->n_deviations - 1].after : NULL;

	search->stats.diverged++;
	if (search->stats.diverged_at[0])
		return;
	if (op)
		snprintf(search->stats.diverged_at, sizeof(search->stats.diverged_at),
		         "a deviation up to operation %u of thread %s did not find its place", op->index,
		         vtb_thread_path(search->runner->tab, op->thread));
	else
		snprintf(search->stats.diverged_at, sizeof(search->stats.diverged_at), "a schedule without deviations");
}

/* What it would have done, had it gone on, is left out of every schedule. */
static void note_assumed(struct vtb_search *search, const struct vtb_outcome *o)
{
	char place[128] = "a place that is not known";

	if (search->stats.assumed++)
		return;
	if (o->site != VTB_NONE)
		vtb_site_place(search->runner->tab, o->site, place, sizeof(place));
	snprintf(search->stats.assumed_at, sizeof(search->stats.assumed_at), "thread %s at %s",
	         o->thread == VTB_NONE ? "?" : vtb_thread_path(search->runner->tab, o->thread), place);
}

static bool is_failure(const struct vtb_exec *x)
{
	return vtb_verdict_exit_code(x->outcome.verdict) == 1;
}

/* Every run before this level was executed. */
static bool lowest_is_proved(const struct vtb_search *search)
{
	const struct vtb_claim *claim = &search->claim;

	if (!claim->enumerates || claim->by_states)
		return false;
	return claim->complete ||
	       !vtb_search_is_lower((struct vtb_tuple){ .c = claim->c, .v = claim->v }, search->stats.lowest);
}

static enum vtb_search_reply report_failure(struct vtb_search *search, const struct vtb_search_calls *calls,
                                            const struct vtb_schedule *s, const struct vtb_exec *x)
{
	const struct vtb_tuple tuple = vtb_exec_tuple(x);
	enum vtb_search_reply reply;

	if (search->stats.failing++ == 0 || vtb_search_is_lower(tuple, search->stats.lowest))
		search->stats.lowest = tuple;
	search->stats.lower_levels_complete = lowest_is_proved(search);
	if (search->stopping) /* the rest of the batch: counted, not reported */
		return VTB_SEARCH_GO_ON;
	reply = calls->failing ? calls->failing(search, s, x, tuple, calls->data) : VTB_SEARCH_STOP;
	search->stopping = reply == VTB_SEARCH_STOP;
	if (reply == VTB_SEARCH_GO_ON)
		vtb_search_know_failure(search, x);
	if (reply == VTB_SEARCH_ONLY_LOWER) {
		search->space.below_c = search->stats.lowest.c;
		search->space.below_v = search->stats.lowest.v;
	}
	return reply;
}

enum vtb_search_reply vtb_search_go_on(struct vtb_search *search, const struct vtb_schedule *schedule,
                                       const struct vtb_exec *x, struct vtb_tuple tuple, void *data)
{
	(void)search;
	(void)schedule;
	(void)x;
	(void)tuple;
	(void)data;
	return VTB_SEARCH_GO_ON;
}

/* Of the rest of such a run nothing is known, and all that begins like it costs as much. */
static void note_cut(struct vtb_search *search, const struct vtb_exec *x)
{
	const struct vtb_tuple at = vtb_exec_tuple(x);

	if (!search->space.cut || vtb_search_is_lower(at, search->space.cut_at))
		search->space.cut_at = at;
	search->space.cut = true;
}

/* Account for one run and hand it to the strategy. Returns enum vtb_search_reply. */
int vtb_search_digest(struct vtb_search *search, const struct vtb_search_calls *calls, struct vtb_plan *plan,
                      const struct vtb_exec *x)
{
	static const struct vtb_exec nothing = { .brief = true };
	enum vtb_search_reply reply = VTB_SEARCH_GO_ON;
	const struct vtb_exec *shown;
	uint64_t class_id;
	bool new_class;
	int r = vtb_search_class(search, x, &class_id, &new_class);

	shown = vtb_search_shows_nothing(search, calls, plan, x, new_class) ? &nothing : x;
	if (r >= 0 && !x->partial && !shown->brief)
		r = vtb_coverage_add(&search->coverage, x);
	if (r >= 0 && !search->space.made)
		r = vtb_made_runs_add(&search->made, &plan->schedule, shown);
	if (r < 0)
		return r;
	if (vtb_verdict_is_cut(x->outcome.verdict))
		note_cut(search, x);
	vtb_outputs_note(&search->outputs, x, &search->stats);
	if (search->space.made)
		return vtb_hand_over_feedback(&search->turn, plan->ticket, shown, new_class);
	search->stats.schedules++;
	search->stats.events += vtb_search_events(search, x);
	search->stats.partial += x->partial;
	search->stats.infeasible += x->outcome.verdict == VTB_V_INFEASIBLE;
	search->stats.stopped += vtb_verdict_is_cut(x->outcome.verdict) ? 1 : 0;
	search->stats.unread += vtb_outcome_is_unread(&x->outcome);
	if ((x->outcome.flags & VTB_OUT_DIVERGED && !plan->loose) || x->outcome.verdict == VTB_V_DIVERGED)
		note_divergence(search, &plan->schedule);
	if (x->outcome.flags & VTB_OUT_ASSUMED)
		note_assumed(search, &x->outcome);
	if (calls->executed)
		calls->executed(search, &plan->schedule, x, class_id, new_class, calls->data);
	if (is_failure(x))
		reply = report_failure(search, calls, &plan->schedule, x);
	r = vtb_hand_over_feedback(&search->turn, plan->ticket, shown, new_class);
	return r < 0 ? r : (int)reply;
}

int vtb_search_digest_late(struct vtb_search *search, const struct vtb_search_calls *calls, const struct vtb_plan *plan,
                           const struct vtb_exec *x)
{
	search->stats.late += !is_failure(x);
	if (!is_failure(x))
		return VTB_SEARCH_GO_ON;
	search->stats.schedules++;
	return (int)report_failure(search, calls, &plan->schedule, x);
}

/* ---- batches */

static bool out_of_time(struct vtb_search *search, double start)
{
	search->stats.seconds = search->seconds_before + vtb_stop_clock() - start;
	return search->opts.seconds > 0 && search->stats.seconds >= search->opts.seconds;
}

static void note_states(struct vtb_search *search)
{
	search->stats.states = search->states.set.used;
	search->stats.states_met = search->states.met;
	search->stats.states_not_kept = search->states.set.not_kept;
	search->stats.states_unknown = search->states.unknown;
	search->stats.states_merged = vtb_hash_set_merged(&search->states.set);
}

static int end_of_cut(const struct vtb_search *search)
{
	return vtb_stop_interrupted(search->runner->stop) ? VTB_SEARCH_CALLER : VTB_SEARCH_TIME;
}

static int step(struct vtb_search *search, const struct vtb_search_calls *calls, struct vtb_error *err)
{
	int64_t n = vtb_search_plan(search);
	int r;

	if (n <= 0) {
		vtb_search_clear_batch(search, search->batch);
		if (n == 0)
			take_claim(search);
		return n < 0 ? vtb_error_set(err, (int)n, NULL, 0, "the search failed: %s", vtb_strerror((int)n))
		             : VTB_SEARCH_EXHAUSTED;
	}
	r = vtb_search_run_batch(search, calls, (size_t)n, err);
	vtb_search_end_batch(search);
	if (r < 0)
		return r;
	if (!search->cut)
		take_claim(search);
	search->stats.level_c = search->claim.c;
	search->stats.level_v = search->claim.v;
	search->stats.blocked = search->claim.blocked;
	note_states(search);
	return r ? VTB_SEARCH_FOUND : search->cut ? end_of_cut(search) : -EAGAIN;
}

int vtb_search_run(struct vtb_search *search, const struct vtb_search_calls *calls, struct vtb_error *err)
{
	const double start = vtb_stop_clock();
	struct vtb_stem *const stem = search->runner->stem;
	int r = -EAGAIN;

	search->seconds_before = search->stats.seconds;
	search->runner->states = search->opts.match_states;
	search->runner->tell_all = search->opts.tell_all || search->stats.mixed;
	search->runner->told_to = search->number;
	search->runner->owned = !search->opts.tell_owned && !search->opts.match_states;
	if (search->opts.match_states || search->opts.stem)
		search->runner->stem = search->opts.match_states ? NULL : search->opts.stem;
	vtb_search_ask(search, calls);
	while (r == -EAGAIN) {
		if (search->cut || vtb_stop_due(search->runner->stop)) {
			r = end_of_cut(search);
			break;
		}
		if (out_of_time(search, start)) {
			r = VTB_SEARCH_TIME;
			break;
		}
		if (search->opts.budget && search->stats.schedules >= search->opts.budget) {
			r = VTB_SEARCH_BUDGET;
			break;
		}
		r = step(search, calls, err);
		if (r == -EAGAIN && calls->progress && calls->progress(search, calls->data))
			r = VTB_SEARCH_CALLER;
	}
	search->runner->states = search->runner->tell_all = search->runner->owned = false;
	search->runner->enough = NULL;
	vtb_selective_end(&search->selective); /* whoever comes next wants to see everything */
	search->runner->stem = stem;
	out_of_time(search, start);
	if (search->stats.failing)
		search->stats.lower_levels_complete = lowest_is_proved(search);
	return r;
}

const struct vtb_search_stats *vtb_search_stats(const struct vtb_search *search)
{
	return &search->stats;
}

const struct vtb_search_opts *vtb_search_opts(const struct vtb_search *search)
{
	return &search->opts;
}
