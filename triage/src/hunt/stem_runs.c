/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches whose runs are made without what main does before its first thread (vtb/exec_stem.h, decision 54), and the
 * way back: whatever comes of them is told of whole runs. */
#include <errno.h>

#include "hunt_priv.h"
#include "vtb/log.h"

#define STEM_LEAST 256u /* operations: fewer cost less than the runs more that leaving them out takes */

/* Is it the same in another run? A program may look at what differs from run to run. */
static int comes_again(struct vtb_hunt *hunt)
{
	const struct vtb_schedule standard = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK }, *one = &standard;
	int r;

	hunt->runner->stem = &hunt->stem;
	r = vtb_runner_run(hunt->runner, &one, 1, &hunt->first_short, hunt->err);
	hunt->runner->stem = NULL;
	return r < 0 ? r : !(hunt->first_short.outcome.flags & VTB_OUT_DIVERGED);
}

int vtb_hunt_begin_stem(struct vtb_hunt *hunt)
{
	int r;

	if (hunt->opts->search.match_states || hunt->opts->part || hunt->opts->runner.real_time ||
	    hunt->result->first.owned)
		return 0;
	r = vtb_stem_of(&hunt->result->first, STEM_LEAST, &hunt->stem);
	if (r > 0)
		r = comes_again(hunt);
	if (r <= 0)
		vtb_hunt_end_stem(hunt);
	return r < 0 ? r : 0;
}

void vtb_hunt_end_stem(struct vtb_hunt *hunt)
{
	vtb_stem_fini(&hunt->stem);
	vtb_exec_fini(&hunt->first_short);
}

struct vtb_stem *vtb_hunt_stem(struct vtb_hunt *hunt)
{
	return hunt->stem.sites ? &hunt->stem : NULL;
}

/* Past the end of the hunt's time, too, for a moment: it was found. 1: it fails so. */
static int fails(struct vtb_hunt *hunt, const struct vtb_schedule *s, const char *signature, struct vtb_exec *ret)
{
	struct vtb_keeper *const keeper = vtb_runner_only_make(hunt->runner);
	int r;

	*ret = (struct vtb_exec){ 0 };
	hunt->stop.proving = true;
	r = vtb_runner_run(hunt->runner, &s, 1, ret, hunt->err);
	hunt->stop.proving = false;
	hunt->runner->keeper = keeper;
	if (r == -ECANCELED)
		return 0;
	return r < 0 ? r : vtb_exec_fails_as(ret, signature);
}

int vtb_hunt_whole(struct vtb_hunt *hunt, struct vtb_exec *x)
{
	const char *signature = x->outcome.signature;
	struct vtb_schedule s = { 0 };
	struct vtb_exec whole = { 0 };
	int r;

	if (!vtb_hunt_stem(hunt))
		return 0;
	r = vtb_exec_schedule(x, &s);
	vtb_stem_lengthen(&hunt->stem, &s);
	if (r >= 0)
		r = fails(hunt, &s, signature, &whole);
	vtb_schedule_fini(&s);
	if (r == 0) {
		vtb_info("A failing run did not come again: signature=\"%s\"", signature);
		hunt->result->facts.not_again++;
	}
	vtb_exec_fini(x);
	*x = whole;
	return r < 0 ? r : !r;
}

int vtb_hunt_leave_out(struct vtb_hunt *hunt, struct vtb_shrunk *s)
{
	struct vtb_schedule shorter = { 0 };
	struct vtb_exec x = { 0 };
	int r;

	if (!vtb_hunt_stem(hunt) || s->schedule.n_constraints)
		return 0;
	r = vtb_schedule_copy(&s->schedule, &shorter);
	vtb_stem_shorten(&hunt->stem, &shorter);
	hunt->runner->stem = &hunt->stem;
	if (r >= 0)
		r = fails(hunt, &shorter, s->exec.outcome.signature, &x);
	if (r <= 0) {
		hunt->runner->stem = NULL;
		vtb_schedule_fini(&shorter);
		vtb_exec_fini(&x);
		return r;
	}
	vtb_schedule_fini(&s->schedule);
	vtb_exec_fini(&s->exec);
	s->schedule = shorter;
	s->exec = x;
	return 1;
}

int vtb_hunt_short_begin(struct vtb_hunt *hunt, const struct vtb_finding *f, struct vtb_shrunk *ret)
{
	int r;

	*ret = (struct vtb_shrunk){ 0 };
	if (!vtb_hunt_stem(hunt))
		return 0;
	r = vtb_schedule_copy(&f->schedule, &ret->schedule);
	if (r >= 0)
		r = vtb_exec_copy(&f->exec, &ret->exec);
	if (r >= 0)
		r = vtb_hunt_leave_out(hunt, ret);
	if (r <= 0)
		vtb_shrunk_fini(ret);
	return r;
}

void vtb_hunt_short_end(struct vtb_hunt *hunt, struct vtb_shrunk *s)
{
	hunt->runner->stem = NULL;
	vtb_shrunk_fini(s);
}

int vtb_hunt_back(struct vtb_hunt *hunt, struct vtb_shrunk *s)
{
	struct vtb_exec whole = { 0 };
	int r;

	hunt->runner->stem = NULL;
	vtb_stem_lengthen(&hunt->stem, &s->schedule);
	r = fails(hunt, &s->schedule, s->exec.outcome.signature, &whole);
	vtb_exec_fini(&s->exec);
	s->exec = whole;
	if (r <= 0)
		vtb_shrunk_fini(s);
	return r;
}
