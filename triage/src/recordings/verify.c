/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shrink.h"
#include "vtb/replay.h"

void vtb_verify_options(const struct vtb_failure *failure, struct vtb_hunt_opts *opts)
{
	const uint32_t c = failure->tuple_known ? failure->tuple.c : 2, v = failure->tuple_known ? failure->tuple.v : 2;

	opts->candidates = &failure->schedule;
	opts->candidates_signature = failure->signature;
	opts->input = &failure->input;
	opts->runner.real_time |= failure->options.real_time;
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
static int run_saved(struct vtb_hunt *hunt, const struct vtb_schedule *schedule)
{
	struct vtb_exec x = { 0 };
	int r = vtb_runner_run(hunt->runner, &schedule, 1, &x, hunt->err);

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
		r = run_saved(hunt, &resolution.schedule);
	}
	vtb_resolution_fini(&resolution);
	return r;
}

int vtb_verify_replay(struct vtb_hunt *hunt)
{
	const struct vtb_schedules *saved = hunt->opts->candidates;
	int r = 0;

	hunt->result->fix.build = vtb_replay_build(&saved->tab, hunt->runner->tab);
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

int vtb_verify_answer(struct vtb_hunt *hunt)
{
	struct vtb_hunt_result *result = hunt->result;

	if (hunt->opts->candidates_signature) {
		result->fix.signature = strdup(hunt->opts->candidates_signature);
		if (!result->fix.signature)
			return -ENOMEM;
	}
	if (result->n_findings)
		result->fix.answer = VTB_FIX_STILL_FAILS;
	else if ((result->verdict == VTB_V_NONE && result->facts.complete) ||
	         (result->verdict == VTB_V_SEQUENTIAL && !result->facts.uncontrolled))
		result->fix.answer = VTB_FIX_FIXED;
	else
		result->fix.answer = VTB_FIX_CANNOT_TELL;
	return 0;
}
