/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One batch of a search: run, those parts without seeing all accesses that allow it, and digested in order. */
#include <errno.h>
#include <stdlib.h>

#include "search_priv.h"

#define BATCH_MAX 1024u         /* schedules, for strategies whose are brief */
#define BATCH_EVENTS (1u << 17) /* and so many operations: a hundredth of a second */

int vtb_search_make_room(struct vtb_search *search)
{
	search->usual = search->runner->ops->batch ? search->runner->ops->batch(search->runner) : 1;
	if (search->usual == 0)
		search->usual = 1;
	search->batch =
	    search->strategy->can & VTB_STRATEGY_BRIEF && search->usual < BATCH_MAX ? BATCH_MAX : search->usual;
	if (vtb_search_goes_ahead(search))
		search->batch = vtb_search_room_ahead(search);
	search->plans = calloc(search->batch, sizeof(*search->plans));
	search->execs = calloc(search->batch, sizeof(*search->execs));
	search->schedules = calloc(search->batch, sizeof(*search->schedules));
	search->how = calloc(search->batch, sizeof(*search->how));
	search->group_execs = calloc(search->batch, sizeof(*search->group_execs));
	search->group = calloc(search->batch, sizeof(*search->group));
	return search->plans && search->execs && search->schedules && search->how && search->group &&
	               search->group_execs
	           ? 0
	           : -ENOMEM;
}

/* Where most runs cost little to look at: ever more, but for a fraction of a second, and no eighth of what was run. */
static size_t usual_size(const struct vtb_search *search)
{
	const struct vtb_search_stats *s = &search->stats;
	uint64_t n = s->schedules / 8;

	if (search->batch == search->usual || vtb_search_goes_ahead(search) || n <= search->usual)
		return search->usual;
	n = n < search->batch ? n : search->batch;
	if (s->events / s->schedules * n > BATCH_EVENTS)
		n = BATCH_EVENTS / (s->events / s->schedules);
	return n < search->usual ? search->usual : (size_t)n;
}

size_t vtb_search_batch_size(const struct vtb_search *search)
{
	const uint64_t budget = search->opts.budget, done = search->stats.schedules;

	size_t n = usual_size(search);

	if (budget && budget - done < n)
		n = (size_t)(budget - done);
	if (search->opts.seconds > 0) { /* slow programs: no more than there is time for */
		const double left = search->opts.seconds - search->stats.seconds,
		             each = done ? search->stats.seconds / (double)done : search->opts.each;

		if (each * (double)n > left)
			n = left > each ? (size_t)(left / each) : 1;
	}
	return n;
}

void vtb_search_clear_batch(struct vtb_search *search, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		vtb_schedule_fini(&search->plans[i].schedule);
		vtb_exec_fini(&search->execs[i]);
		search->plans[i] = (struct vtb_plan){ 0 };
		search->execs[i] = (struct vtb_exec){ 0 };
	}
}

/* Run the first n of the group; each schedule is the group's own if it has one, else the plan's. Stopped on the way:
 * the first *ret_done executions are there. */
static int run_group(struct vtb_search *search, size_t n, bool own, size_t *ret_done, struct vtb_error *err)
{
	struct vtb_search_group *g = search->group;
	int r;

	*ret_done = 0;
	for (size_t k = 0; k < n; k++)
		search->schedules[k] = own ? &g[k].schedule : &search->plans[g[k].place].schedule;
	r = n ? vtb_runner_run_some(search->runner, search->schedules, n, search->group_execs, ret_done, err) : 0;
	n = *ret_done > n ? *ret_done : n; /* some were asked for on the way */
	for (size_t k = 0; k < n; k++) {
		g[k].exec = k < *ret_done ? search->group_execs[k] : (struct vtb_exec){ 0 };
		search->group_execs[k] = (struct vtb_exec){ 0 };
		if (own)
			vtb_schedule_fini(&g[k].schedule);
	}
	return r;
}

/* Runs with all sites on teach which sites others can do without. */
static int take_whole(struct vtb_search *search, size_t n)
{
	int r = 0;

	for (size_t k = 0; k < n; k++) {
		const size_t i = search->group[k].place;

		if (search->execs[i].partial)
			vtb_selective_compare(&search->selective, &search->execs[i], &search->group[k].exec);
		vtb_exec_fini(&search->execs[i]);
		search->execs[i] = search->group[k].exec;
		search->how[i] = VTB_RUN_DONE;
		if (r >= 0 && !search->execs[i].brief)
			r = vtb_selective_learn(&search->selective, &search->execs[i]);
	}
	return r;
}

/* A run that was digested is not looked at again, unless by who learns which sites runs can do without: the next one
 * has its memory while it is in the cache. */
static void forget(struct vtb_search *search, size_t i)
{
	if (vtb_selective_wants(&search->selective))
		return;
	vtb_exec_fini(&search->group_execs[i]);
	search->group_execs[i].brief = true;
}

/* While the program makes the rest, what is there is digested: all but a failure, at which somebody may want the
 * runner, and what comes behind it. What is learnt from a batch for how later ones are run is learnt at its end. */
static void digest_ready(struct vtb_runner *runner, size_t n)
{
	struct vtb_search *search = runner->ready_data;

	while (search->digested < n && search->trouble >= 0 && !search->stopping && !vtb_stop_due(runner->stop)) {
		const size_t i = search->digested;
		const struct vtb_exec *x = &search->group_execs[i];

		if (vtb_verdict_exit_code(x->outcome.verdict) == 1)
			return;
		search->space.made = false;
		search->trouble = vtb_search_digest(search, search->calls, &search->plans[i], x);
		forget(search, i);
		if (search->trouble >= 0)
			search->trouble = vtb_search_note_digested(search);
		vtb_search_offer(search);
	}
}

/* Those of a batch that is run as it is may be digested one by one. A keeper has them in parts. */
static void tell_when_ready(struct vtb_search *search, bool on)
{
	search->runner->ready = on && !search->runner->keeper ? digest_ready : NULL;
	search->runner->ready_data = search;
}

static int run_whole(struct vtb_search *search, size_t n, struct vtb_error *err)
{
	size_t some = 0, done;
	int r, learnt;

	for (size_t i = 0; i < n; i++)
		if (search->how[i] == VTB_RUN_WHOLE)
			search->group[some++].place = i;
	if (!some)
		return 0;
	vtb_selective_end(&search->selective);
	tell_when_ready(search, some == n);
	r = run_group(search, some, false, &done, err);
	tell_when_ready(search, false);
	learnt = take_whole(search, done);
	search->n_run = done > n ? done : n; /* whatever was offered */
	return r < 0 ? r : learnt;
}

/* Those that can be numbered; the others are to be run whole. Returns how many are in the group. */
static int64_t gather_quiet(struct vtb_search *search, size_t n)
{
	size_t some = 0;

	for (size_t i = 0; i < n; i++) {
		int r = search->how[i] == VTB_RUN_QUIET ? vtb_selective_schedule(&search->selective, &search->plans[i],
		                                                                 &search->group[some].schedule)
		                                        : 0;

		if (r < 0) {
			while (some)
				vtb_schedule_fini(&search->group[--some].schedule);
			return r;
		}
		if (r > 0) {
			search->group[some].schedule.brief = false;
			search->group[some++].place = i;
		}
		if (r == 0 && search->how[i] == VTB_RUN_QUIET)
			search->how[i] = VTB_RUN_WHOLE;
	}
	return (int64_t)some;
}

/* A quiet run that shows what must be looked at in full is made again. */
static int run_quiet(struct vtb_search *search, size_t n, struct vtb_error *err)
{
	int64_t some = gather_quiet(search, n);
	size_t done = 0;
	int r = some < 0 ? (int)some : run_group(search, (size_t)some, true, &done, err);

	for (size_t k = 0; k < done; k++) {
		const size_t i = search->group[k].place;
		int again = 0;

		search->execs[i] = search->group[k].exec;
		search->execs[i].partial = true;
		if (r >= 0 || r == -ECANCELED)
			again = vtb_selective_again(&search->selective, &search->plans[i], &search->execs[i]);
		search->how[i] = again > 0 ? VTB_RUN_WHOLE : VTB_RUN_DONE;
		r = again < 0 ? again : r;
	}
	return r < 0 ? r : 0;
}

const struct vtb_exec *vtb_search_made_before(struct vtb_search *search, const struct vtb_plan *plan)
{
	return plan->apart ? NULL : vtb_made_runs_find(&search->made, &plan->schedule);
}

/* Those that lead to a run that was made before. With states a run must have been looked at for them. */
static int take_made(struct vtb_search *search, size_t n)
{
	for (size_t i = 0; i < n && !search->opts.match_states; i++) {
		const struct vtb_exec *x = vtb_search_made_before(search, &search->plans[i]);

		if (!x)
			continue;
		search->how[i] = VTB_RUN_MADE;
		if (vtb_exec_copy(x, &search->execs[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* First those that are run whole anyway, so that their lesson is known; then the quiet ones; then what could not be, or
 * not so. */
static int run_all(struct vtb_search *search, size_t n, struct vtb_error *err)
{
	bool quiet = false;
	int r = vtb_selective_choose(&search->selective, search->plans, n, search->how);

	if (r >= 0)
		r = take_made(search, n);
	if (r >= 0)
		r = run_whole(search, n, err);
	for (size_t i = 0; i < n; i++)
		quiet |= search->how[i] == VTB_RUN_QUIET;
	if (r >= 0 && quiet)
		r = vtb_selective_begin(&search->selective, search->plans, n);
	for (size_t i = 0; i < n && !search->selective.is_on; i++)
		search->how[i] = search->how[i] == VTB_RUN_QUIET ? VTB_RUN_WHOLE : search->how[i];
	if (r >= 0 && quiet)
		r = run_quiet(search, n, err);
	return r < 0 ? r : run_whole(search, n, err);
}

void vtb_search_tell_selective(struct vtb_search *search)
{
	search->space.wants_past = vtb_selective_wants(&search->selective);
	search->space.stay = vtb_selective_pays(&search->selective) ? SELECTIVE_PERIOD : 0;
}

/* What was run past the moment at which the search was to end: only a failure counts. */
static int digest_late(struct vtb_search *search, const struct vtb_search_calls *calls, size_t i)
{
	const bool there = search->how[i] == VTB_RUN_DONE;

	search->space.made = false;
	return there ? vtb_search_digest_late(search, calls, &search->plans[i], &search->execs[i]) : 0;
}

static bool is_late(const struct vtb_search *search, size_t i)
{
	const bool there = search->how[i] == VTB_RUN_DONE || search->how[i] == VTB_RUN_MADE;

	return search->cut || !there || vtb_stop_due(search->runner->stop);
}

/* All of a batch is digested, also after a find: the strategy wants to see everything that was run. */
int vtb_search_run_batch(struct vtb_search *search, const struct vtb_search_calls *calls, size_t n,
                         struct vtb_error *err)
{
	int r;

	search->n_run = n;
	search->began = vtb_stop_clock();
	search->stopping = false;
	search->calls = calls;
	search->digested = 0;
	search->trouble = 0;
	r = run_all(search, n, err);
	if (r >= 0 || r == -ECANCELED)
		r = search->trouble < 0 ? search->trouble : r;
	if (r == -ENOMEM)
		return vtb_error_set(err, r, NULL, 0, "the search failed: %s", vtb_strerror(r));
	r = r == -ECANCELED ? 0 : r;
	vtb_search_tell_selective(search);
	while (r >= 0 && search->digested < search->n_run) {
		const size_t i = search->digested;

		search->cut = is_late(search, i);
		search->space.made = search->how[i] == VTB_RUN_MADE;
		r = search->cut ? digest_late(search, calls, i)
		                : vtb_search_digest(search, calls, &search->plans[i], &search->execs[i]);
		if (r >= 0)
			r = vtb_search_note_digested(search);
		if (r < 0)
			return vtb_error_set(err, r, NULL, 0, "the search failed: %s", vtb_strerror(r));
	}
	search->stats.redone = search->selective.redone;
	search->stats.selective_off = search->selective.partial ? search->selective.why_not : NULL;
	return r < 0 ? r : search->stopping;
}
