/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "extent.h"
#include "shrink.h"
#include "vtb/replay.h"
#include "vtb/told.h"
#include "vtb/told_words.h"

void vtb_verify_options(const struct vtb_failure *failure, struct vtb_hunt_opts *opts)
{
	const uint32_t c = failure->tuple_known ? failure->tuple.c : 2, v = failure->tuple_known ? failure->tuple.v : 2;

	opts->candidates = &failure->schedule;
	opts->candidates_signature = failure->signature;
	opts->candidates_of = failure;
	opts->input = &failure->input;
	if (failure->tuple_known) {
		opts->candidates_level = &failure->tuple;
		opts->search.symmetry = false; /* it rests on an assumption */
	}
	opts->candidates_always = failure->verdict == VTB_V_REGARDLESS;
	if (opts->search.t == VTB_HUNT_DEFAULT && failure->tuple_known && failure->tuple.t > 2)
		opts->search.t = failure->tuple.t;
	opts->runner.real_time |= failure->options.real_time;
	if (!opts->runner.fail_if)
		opts->runner.fail_if = failure->options.fail_if;
	if (!opts->runner.expect_output)
		opts->runner.expect_output = failure->options.expect_output;
	if (!opts->runner.follow)
		opts->runner.follow = failure->options.follow;
	if (!opts->argv)
		opts->argv = failure->schedule.argv;
	if (!opts->cwd && opts->argv == failure->schedule.argv)
		opts->cwd = failure->schedule.cwd;
	if (opts->search.c == VTB_HUNT_DEFAULT)
		opts->search.c = c > 1 ? c : 1;
	if (opts->search.v == VTB_HUNT_DEFAULT)
		opts->search.v = v > 1 ? v : 1;
}

static int copy_notes(const struct vtb_resolution *r, char ***ret)
{
	char **notes = calloc(r->n_notes + 1, sizeof(*notes));

	for (size_t i = 0; notes && i < r->n_notes; i++) {
		notes[i] = strdup(r->notes[i].text);
		if (!notes[i]) {
			while (i-- > 0)
				free(notes[i]);
			free(notes);
			return -ENOMEM;
		}
	}
	*ret = notes;
	return notes ? 0 : -ENOMEM;
}

/* Run it; a failure, this one or another, becomes a finding. */
static int run_saved(struct vtb_hunt *hunt, const struct vtb_schedules *saved, size_t i, struct vtb_resolution *res)
{
	const struct vtb_schedule *schedule = &res->schedule;
	struct vtb_exec x = { 0 };
	int r = vtb_runner_run(hunt->runner, &schedule, 1, &x, hunt->err);

	if (r == 0)
		r = vtb_replay_resolve_again(hunt->runner, &saved->schedules[i], &saved->tab, res, &x, hunt->err);
	r = r < 0 ? r : 0;
	if (r == 0 && vtb_exec_fails_as(&x, NULL))
		r = vtb_hunt_add_finding(hunt, &x, hunt->runner->schedules, NULL);
	vtb_exec_fini(&x);
	return r < 0 ? r : 0;
}

/* Look up one schedule in this build and run it if all of it was found. */
static int try_one(struct vtb_hunt *hunt, const struct vtb_schedules *saved, size_t i)
{
	struct vtb_fix *fix = &hunt->result->fix;
	struct vtb_resolution resolution;
	int r = vtb_replay_resolve(hunt->runner, &saved->schedules[i], &saved->tab, VTB_RESOLVE_AUTO, &resolution,
	                           hunt->err);

	if (r < 0)
		return r;
	if (i == 0)
		r = copy_notes(&resolution, &fix->notes);
	if (r == 0 && resolution.unresolved == 0) {
		fix->applicable = true;
		fix->tried++;
		r = run_saved(hunt, saved, i, &resolution);
	}
	vtb_resolution_fini(&resolution);
	return r;
}

int vtb_verify_replay(struct vtb_hunt *hunt)
{
	const struct vtb_schedules *saved = hunt->opts->candidates;
	int r = 0;

	hunt->enough = hunt->opts->candidates_level ? vtb_verify_enough : NULL;
	for (size_t i = 0; i < saved->n_schedules && r == 0; i++) {
		if (hunt->result->n_findings || vtb_hunt_due(hunt))
			break;
		vtb_hunt_tell(hunt, VTB_HUNT_FIRST_RUNS);
		r = try_one(hunt, saved, i);
		if (hunt->result->n_findings)
			hunt->result->fix.hit = (uint32_t)i + 1;
	}
	return r;
}

/* ---- the failure's own level */

#define LOOK_ON 5.0 /* seconds: what the level does not need to have is looked for as long, too */

static bool covers(struct vtb_tuple done, const struct vtb_tuple *level)
{
	return done.c == VTB_UNBOUNDED || done.c > level->c ||
	       (done.c == level->c && (done.v >= level->v || done.v >= done.c));
}

static bool all_done(const struct vtb_hunt_facts *f)
{
	return f->complete && vtb_extent_believed(f);
}

/* What else than a switch the saved schedules need was tried wherever it is possible. */
static bool explored(const struct vtb_hunt *hunt)
{
	const struct vtb_schedules *saved = hunt->opts->candidates;
	uint32_t needed = 0;

	for (size_t i = 0; i < saved->n_schedules; i++)
		for (size_t k = 0; k < saved->schedules[i].n_deviations; k++)
			needed |= VTB_HUNT_KIND(saved->schedules[i].deviations[k].kind);
	needed &= ~(VTB_HUNT_KIND(VTB_DEV_SWITCH) | VTB_HUNT_KIND(VTB_DEV_DEMOTE));
	return (needed & ~hunt->result->facts.explored) == 0;
}

/* All at the failure's level and below: every schedule, or every priority order of as many threads. */
static bool level_done(struct vtb_hunt *hunt)
{
	const struct vtb_hunt_facts *f = &hunt->result->facts;
	const struct vtb_tuple *level = hunt->opts->candidates_level;
	struct vtb_fix *fix = &hunt->result->fix;

	if (!level || !vtb_extent_believed(f) || f->assumed || !explored(hunt))
		return false;
	fix->by_orders = !(f->zero_done && f->enumerated && !f->by_orders && covers(f->done, level));
	fix->by_level = !fix->by_orders || (level->t && f->orders.t >= level->t && covers(f->orders, level));
	fix->level = *level;
	return fix->by_level;
}

/* What failed in every schedule fails without preemptions, too. */
static bool always_done(const struct vtb_hunt *hunt)
{
	const struct vtb_hunt_facts *f = &hunt->result->facts;

	return hunt->opts->candidates_always && vtb_extent_shows(f) && f->enumerated && !f->by_orders && !f->assumed;
}

bool vtb_verify_enough(struct vtb_hunt *hunt, const struct vtb_search *search)
{
	if (vtb_hunt_now() - hunt->start < LOOK_ON || hunt->result->n_findings)
		return false;
	return vtb_extent_take(hunt, search, VTB_SEARCH_CALLER) >= 0 && level_done(hunt);
}

/* Whether or not its schedules have been tried: a first run that fails is an answer, too. */
static enum vtb_build build_of(const struct vtb_hunt *hunt)
{
	const struct vtb_hunt_opts *o = hunt->opts;

	return hunt->runner ? vtb_replay_build(o->recorded ? o->recorded : &o->candidates->tab, hunt->runner->tab)
	                    : VTB_BUILD_UNKNOWN;
}

/* The failure as the hunt that found it has told it. */
static int tell(const struct vtb_failure *failure, char **ret)
{
	struct vtb_told told;
	char words[2048];
	int r = failure && failure->trace.n_events ? vtb_told_of_failure(failure, "", &told) : 1;

	if (r != 0)
		return r < 0 ? r : 0;
	*ret = strdup(vtb_report_failure(told.run, told.tab, told.regardless, words, sizeof(words)));
	vtb_told_fini(&told);
	return *ret ? 0 : -ENOMEM;
}

int vtb_verify_answer(struct vtb_hunt *hunt)
{
	struct vtb_hunt_result *result = hunt->result;

	result->fix.build = build_of(hunt);
	if (hunt->opts->candidates_signature) {
		result->fix.signature = strdup(hunt->opts->candidates_signature);
		if (!result->fix.signature)
			return -ENOMEM;
	}
	if (tell(hunt->opts->candidates_of, &result->fix.told) < 0)
		return -ENOMEM;
	if (result->n_findings)
		result->fix.answer = VTB_FIX_STILL_FAILS;
	else if ((result->verdict == VTB_V_NONE &&
	          (all_done(&result->facts) || level_done(hunt) || always_done(hunt))) ||
	         (result->verdict == VTB_V_SEQUENTIAL && !result->facts.uncontrolled))
		result->fix.answer = VTB_FIX_FIXED;
	else
		result->fix.answer = VTB_FIX_CANNOT_TELL;
	return 0;
}
