/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search of a hunt, and beside it, where no bound was asked for, one by states: it tries what time and chance can
 * do wherever they can, and what goes round for ever leads it to states that it knows, so that it may show that nothing
 * is left where the first one would never end. They take turns by the number of schedules.
 */
#include <string.h>

#include "extent.h"
#include "hunt_options.h"
#include "hunt_priv.h"
#include "predict_beyond.h"
#include "predict_try.h"

struct watch {
	struct vtb_hunt *hunt;
	struct vtb_exec failing;  /* copy of the run that stopped the search */
	uint64_t schedule_number; /* its place among all runs, those of its batch that came after it left out */
	uint64_t runs_before;     /* runs that were none of the search */
	bool found;
	struct beside *turns;
	struct beside *beside; /* the same: it is the search by states; NULL: the first one */
	int trouble;
};

#define BESIDE_FROM 500u /* schedules of the first search: most hunts that end soon have ended by then */
#define BESIDE_PART 4u   /* one schedule by states on so many of the first search */
#define BESIDE_TURN 100u
#define BESIDE_BLIND 20u /* schedules that tell no state: none will */

struct beside {
	struct vtb_search *search;     /* NULL: not begun, or over */
	struct vtb_search_stats stats; /* of what it has run so far */
	uint64_t first;                /* schedules of the first search */
	uint64_t until;                /* its turn lasts until it has made so many */
	bool wanted;
	bool complete;
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
	if (watch->beside && x->outcome.verdict == VTB_V_LIVELOCK) {
		watch->beside->wanted = false; /* chance without end may be to blame: nothing is said of it */
		return VTB_SEARCH_STOP;
	}
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

	p->stem = watch->beside ? NULL : vtb_hunt_stem(watch->hunt);
	watch->trouble = vtb_predict_beyond(p, x, watch->beside ? ~class_id : class_id, tab); /* each counts its own */
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

/* `first`: of the first search. Where states take long to tell there are fewer turns. */
static bool is_due(const struct beside *b, const struct vtb_search_stats *first)
{
	return b->wanted && b->first >= BESIDE_FROM && b->first / BESIDE_PART >= b->until + BESIDE_TURN &&
	       (!b->search || vtb_search_stats(b->search)->seconds <= first->seconds);
}

/* By states: its turn is over, or it comes to nothing. The first one: it is the other's turn. */
static bool gives_way(const struct watch *watch, struct beside *b, const struct vtb_search_stats *stats)
{
	if (watch->beside) {
		b->wanted &= stats->states || stats->schedules < BESIDE_BLIND;
		return !b->wanted || stats->schedules >= b->until;
	}
	b->first = stats->schedules;
	return is_due(b, stats);
}

static bool on_progress(struct vtb_search *search, void *data)
{
	struct watch *watch = data;
	const struct vtb_search_stats *stats = vtb_search_stats(search);

	if (!watch->beside) {
		watch->hunt->level_c = stats->level_c;
		watch->hunt->level_v = stats->level_v;
	}
	watch->runs_before = watch->hunt->runner->schedules - watch->hunt->explaining - stats->schedules;
	vtb_hunt_tell(watch->hunt, VTB_HUNT_SEARCHING);
	if (watch->hunt->opts->enough &&
	    watch->hunt->opts->enough(stats, vtb_hunt_now() - watch->hunt->start, watch->hunt->opts->enough_data))
		watch->hunt->deadline = watch->hunt->stop.deadline = vtb_hunt_now();
	if (watch->hunt->enough && watch->hunt->enough(watch->hunt, search))
		return watch->hunt->satisfied = true;
	return gives_way(watch, watch->turns, stats) || vtb_hunt_interrupted(watch->hunt) || watch->trouble < 0 ||
	       watch->hunt->passes || vtb_extent_stuck(stats) ||
	       watch->hunt->predictions.next < watch->hunt->predictions.n_cycles;
}

/* Search until it ends, or until a new failure, which is worked out at once. Returns the end, or an error. */
static int search_once(struct vtb_hunt *hunt, struct vtb_search *search, struct beside *turns)
{
	struct watch watch = { .hunt = hunt,
		               .turns = turns,
		               .beside = search == turns->search ? turns : NULL,
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
		r = watch.beside ? 0 : vtb_hunt_whole(hunt, &watch.failing);
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

/* ---- by states */

/* Whoever asks for a bound, a strategy or a part of the runs has that. */
static bool may_have_beside(const struct vtb_hunt *hunt)
{
	const struct vtb_hunt_opts *o = hunt->opts;
	const struct vtb_search_opts *s = &o->search;
	const bool by_default = !s->strategy && s->c == VTB_HUNT_DEFAULT && s->v == VTB_HUNT_DEFAULT &&
	                        s->t == VTB_HUNT_DEFAULT && s->l == VTB_HUNT_DEFAULT && !s->budget;

	return by_default && vtb_search_may_prune(s) && !s->focus_var && !s->focus_function && !o->keep_going &&
	       !o->state_dir && !o->part && !hunt->enough && !o->runner.real_time && !hunt->result->facts.watched &&
	       hunt->result->verdict == VTB_V_NONE && strcmp(hunt->result->facts.engine, "snapshot") == 0;
}

static int begin_beside(struct vtb_hunt *hunt, struct beside *b)
{
	struct vtb_search_opts opts;

	vtb_hunt_search_opts(hunt->opts, &opts);
	opts.strategy = "dfs";
	opts.c = opts.v = VTB_UNBOUNDED;
	opts.match_states = opts.sure_steps = true;
	opts.seconds = 0; /* the hunt's */
	opts.each = hunt->run_seconds;
	vtb_hunt_memory(hunt->opts, hunt->stop.memory, &opts);
	return vtb_strategies_begin(hunt->runner, &opts, &b->search, hunt->err);
}

static void end_beside(struct beside *b)
{
	if (b->search)
		vtb_search_free(b->search);
	b->search = NULL;
	b->wanted = false;
}

/* Its turn; without an end if the first search has ended. Returns the end, or an error. */
static int turn_of_beside(struct vtb_hunt *hunt, struct beside *b, bool alone)
{
	struct vtb_claim claim;
	int r = b->search ? 0 : begin_beside(hunt, b);

	if (r < 0)
		return r;
	b->until = alone ? UINT64_MAX : b->first / BESIDE_PART;
	r = search_once(hunt, b->search, b);
	b->stats = *vtb_search_stats(b->search);
	if (r < 0)
		return r;
	b->until = b->stats.schedules;
	if (r == VTB_SEARCH_EXHAUSTED) {
		vtb_search_claim(b->search, &claim);
		b->complete = claim.unbounded && claim.complete && !b->stats.stopped && !b->stats.diverged;
		b->wanted = b->complete;
	}
	return r;
}

/* After a turn of the first search. The end of both, which may be that of their time, or an error; CALLER: they go on.
 */
static int turn_after(struct vtb_hunt *hunt, struct beside *b, bool alone)
{
	const size_t before = hunt->result->n_findings;
	int r = turn_of_beside(hunt, b, alone);

	if (r >= 0 && !b->wanted)
		end_beside(b);
	if (r < 0 || b->complete || r == VTB_SEARCH_TIME)
		return r;
	return hunt->result->n_findings > before ? VTB_SEARCH_FOUND : VTB_SEARCH_CALLER;
}

/* The first search has come to its end, or was left for another reason: is there something that the other could add? */
static bool leaves_something(struct vtb_hunt *hunt, const struct vtb_search *s, const struct beside *b, int end)
{
	struct vtb_claim claim;

	vtb_search_claim(s, &claim);
	return end == VTB_SEARCH_EXHAUSTED && b->wanted && !claim.unbounded && !claim.contradicted &&
	       !hunt->result->n_findings && !vtb_extent_stuck(vtb_search_stats(s)) && !vtb_hunt_due(hunt);
}

static int take_turns(struct vtb_hunt *hunt, struct vtb_search *s, struct beside *b)
{
	int end, r;

	for (size_t before;;) {
		bool predicted = false;

		before = hunt->result->n_findings;
		end = search_once(hunt, s, b);
		if (end == VTB_SEARCH_CALLER && hunt->predictions.next < hunt->predictions.n_cycles) {
			r = vtb_predict_try(hunt, &hunt->predictions);
			predicted = r == 0 && hunt->result->n_findings == before;
			end = r < 0 ? r : VTB_SEARCH_CALLER;
		}
		if (end == VTB_SEARCH_CALLER && is_due(b, vtb_search_stats(s)) && hunt->result->n_findings == before &&
		    !hunt->passes && !vtb_hunt_interrupted(hunt)) {
			end = vtb_hunt_due(hunt) ? VTB_SEARCH_TIME : turn_after(hunt, b, false);
			if (b->complete)
				return end;
		}
		if (hunt->satisfied || hunt->passes || (end != VTB_SEARCH_FOUND && end != VTB_SEARCH_CALLER) ||
		    vtb_extent_stuck(vtb_search_stats(s)) || (!predicted && !go_on(hunt, before)) || vtb_hunt_due(hunt))
			break;
	}
	if (!leaves_something(hunt, s, b, end))
		return end;
	r = turn_after(hunt, b, true);
	return r < 0 || r == VTB_SEARCH_FOUND ? r : end;
}

int vtb_hunt_search(struct vtb_hunt *hunt)
{
	struct vtb_search_opts opts;
	struct vtb_search *s = NULL;
	struct vtb_pruning pruning = { 0 };
	struct beside beside = { .wanted = may_have_beside(hunt) };
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
	end = take_turns(hunt, s, &beside);
	if (end >= 0) { /* the last runs may have shown something too */
		int r = vtb_predict_try(hunt, &hunt->predictions);

		r = r < 0 ? r : vtb_extent_take(hunt, s, end);
		if (r >= 0)
			r = vtb_extent_take_states(hunt, &beside.stats, beside.complete ? beside.search : NULL);
		end = r < 0 ? r : end;
	}
	end_beside(&beside);
	vtb_search_free(s);
	hunt->predicate = NULL;
	vtb_pruning_end(&pruning);
	return end < 0 ? end : 0;
}
