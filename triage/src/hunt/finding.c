/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a failing run to a finding: it comes again, is told at once, and then made simpler (refine.c). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "causes.h"
#include "hunt_priv.h"
#include "shown_places.h"
#include "vtb/array.h"
#include "vtb/log.h"
#include "vtb/replay.h"
#include "vtb/test_list.h"

#define DESCRIBED_MAX 3u /* runs, each from what the one before it describes */
/* Where runs are long, to tell one costs as much as many that are compared: it is made simpler before that. So many: */
#define DESCRIBED_LONG 64u

void vtb_hunt_runs_processes(struct vtb_hunt *hunt)
{
	hunt->output = vtb_process_runner_output;
	hunt->said = vtb_process_runner_said;
	hunt->show = vtb_replay_shown;
	hunt->past_misuse = vtb_process_runner_past_misuse;
	hunt->patient = vtb_process_runner_patient;
}

/* A test program says which of its tests failed. */
void vtb_hunt_name_test(struct vtb_hunt *hunt, struct vtb_finding *f)
{
	size_t size = 0;
	char *output = hunt->output ? hunt->output(hunt->runner, &size) : NULL;

	free(f->test);
	f->test = output ? vtb_test_failed(output, size) : NULL;
	free(output);
}

/* Past the end of the hunt's time, too, for a moment: what was found is to be proved. */
static int replay(struct vtb_hunt *hunt, const struct vtb_schedule *schedule, struct vtb_exec *x)
{
	struct vtb_keeper *const keeper = vtb_runner_only_make(hunt->runner);
	int r;

	hunt->stop.proving = true;
	r = vtb_runner_run(hunt->runner, &schedule, 1, x, hunt->err);
	hunt->stop.proving = false;
	hunt->runner->keeper = keeper;
	return r;
}

/* How it ends is all that is asked. */
static int replay_briefly(struct vtb_hunt *hunt, const struct vtb_schedule *schedule, struct vtb_exec *x)
{
	struct vtb_schedule brief = *schedule;
	int r;

	brief.sparse = true;
	vtb_runner_tell_little(hunt->runner, true);
	r = replay(hunt, &brief, x);
	vtb_runner_tell_little(hunt->runner, false);
	return r;
}

static bool goes_as_known(const struct vtb_exec *x, const char *signature)
{
	return vtb_exec_fails_as(x, signature) && !(x->outcome.flags & VTB_OUT_DIVERGED);
}

/* When a thread that takes locks while it spins is held back hangs on what the others are seen to do (decision 62):
 * told less, such a run may go another way. Then it counts as it goes when it is told whole, and so do those that
 * follow. */
static int replay_once(struct vtb_hunt *hunt, const struct vtb_schedule *schedule, const char *signature, bool *brief,
                       struct vtb_exec *ret)
{
	int r = *brief ? replay_briefly(hunt, schedule, ret) : replay(hunt, schedule, ret);

	if (r < 0 || !*brief || !ret->owned || goes_as_known(ret, signature))
		return r;
	*brief = false;
	vtb_exec_fini(ret);
	*ret = (struct vtb_exec){ 0 };
	return replay(hunt, schedule, ret);
}

int vtb_hunt_confirm(struct vtb_hunt *hunt, const struct vtb_schedule *schedule, const char *signature,
                     struct vtb_finding *f)
{
	const uint32_t wanted = hunt->opts->confirm ? hunt->opts->confirm : VTB_HUNT_CONFIRM;
	bool brief = true;

	f->replays = f->confirmed = f->strayed = 0;
	while (f->replays < wanted) {
		struct vtb_exec x = { 0 };
		const int r = replay_once(hunt, schedule, signature, &brief, &x);

		if (r == -ECANCELED)
			break;
		if (r < 0)
			return r;
		f->replays++;
		f->confirmed += vtb_exec_fails_as(&x, signature);
		f->strayed += (x.outcome.flags & VTB_OUT_DIVERGED) != 0;
		vtb_exec_fini(&x);
	}
	return 0;
}

static bool known(const struct vtb_hunt_result *result, const struct vtb_exec *x)
{
	for (size_t i = 0; i < result->n_findings; i++)
		if (vtb_exec_fails_as(x, result->findings[i].exec.outcome.signature))
			return true;
	return false;
}

static bool out_of_time(void *data)
{
	return vtb_hunt_due(data);
}

/* The schedule that the run itself describes, and its run. -VTB_E_DIVERGED: it does not come again. */
static int describe(struct vtb_hunt *hunt, const struct vtb_exec *failing, struct vtb_shrunk *ret)
{
	const struct vtb_shrink_opts as_it_is = { .budget = hunt->runner->long_runs ? DESCRIBED_LONG : 1,
		                                  .stop = out_of_time,
		                                  .data = hunt };
	int r;

	*ret = (struct vtb_shrunk){ 0 };
	hunt->stop.proving = true;
	r = vtb_shrink(hunt->runner, failing, &as_it_is, ret, hunt->err);
	hunt->stop.proving = false;
	if (r != -ECANCELED)
		return r;
	r = vtb_exec_schedule(failing, &ret->schedule); /* no time is left: it was seen, if only once */
	ret->tuple = ret->schedule.tuple = vtb_exec_tuple(failing);
	return r < 0 ? r : vtb_exec_copy(failing, &ret->exec);
}

static bool same_operations(const struct vtb_exec *a, const struct vtb_exec *b)
{
	bool same = a->n_events == b->n_events && a->outcome.verdict == b->outcome.verdict;

	for (size_t i = 0; same && i < a->n_events; i++)
		same = a->events[i].thread == b->events[i].thread && a->events[i].kind == b->events[i].kind &&
		       a->events[i].var == b->events[i].var;
	return same;
}

/* With call stacks each operation is a step by itself, and whoever spins may do so another number of times: then each
 * thread switch of the run is told. */
static int show_as_it_went(struct vtb_hunt *hunt, const struct vtb_schedule *schedule, const struct vtb_exec *run,
                           struct vtb_exec *x)
{
	struct vtb_schedule exact = { 0 };
	int r = hunt->show(hunt->runner, schedule, x, NULL, hunt->err);

	if (r < 0 || same_operations(x, run))
		return r;
	vtb_exec_fini(x);
	*x = (struct vtb_exec){ 0 };
	r = vtb_exec_schedule(run, &exact);
	if (r >= 0)
		r = hunt->show(hunt->runner, &exact, x, NULL, hunt->err);
	vtb_schedule_fini(&exact);
	return r;
}

int vtb_hunt_show(struct vtb_hunt *hunt, const struct vtb_schedule *schedule, const struct vtb_exec *run,
                  struct vtb_finding *f)
{
	struct vtb_keeper *keeper;
	struct vtb_exec x = { 0 };
	int r;

	vtb_exec_fini(&f->shown);
	f->shown = (struct vtb_exec){ 0 };
	if (!hunt->show)
		return 0;
	keeper = vtb_runner_only_make(hunt->runner);
	hunt->stop.proving = true;
	r = show_as_it_went(hunt, schedule, run, &x);
	hunt->stop.proving = false;
	hunt->runner->keeper = keeper;
	if (r < 0)
		return r == -ECANCELED ? 0 : r;
	if (same_operations(&x, run)) {
		f->shown = x;
		r = hunt->said ? hunt->said(hunt->runner, &f->said) : 0;
	} else {
		r = vtb_shown_as_known(run, &x, &f->shown);
		vtb_exec_fini(&x);
	}
	return r;
}

/* A run that fails as it did, but has not followed its schedule to the letter (the program looks at what the machine
 * does beside it), is replaced by what the last one describes: what is written is what was seen to come again. */
static int follow(struct vtb_hunt *hunt, struct vtb_shrunk *s)
{
	for (unsigned i = 0; i < DESCRIBED_MAX; i++) {
		struct vtb_schedule exact = { 0 };
		struct vtb_exec x = { 0 };
		int r = replay(hunt, &s->schedule, &x);

		if (r >= 0 && x.outcome.flags & VTB_OUT_DIVERGED && vtb_exec_fails_as(&x, s->exec.outcome.signature))
			r = vtb_exec_schedule(&x, &exact);
		if (r < 0 || !exact.n_deviations) {
			vtb_schedule_fini(&exact);
			vtb_exec_fini(&x);
			return r == -ECANCELED ? 0 : r;
		}
		vtb_shrunk_fini(s);
		*s = (struct vtb_shrunk){ .schedule = exact, .exec = x, .tuple = vtb_exec_tuple(&x) };
		s->schedule.tuple = s->tuple;
	}
	return 0;
}

/* As far as it is known now. */
static int prove(struct vtb_hunt *hunt, struct vtb_finding *f, struct vtb_shrunk *s)
{
	int r;

	vtb_hunt_tell(hunt, VTB_HUNT_CONFIRMING);
	r = vtb_hunt_confirm(hunt, &s->schedule, s->exec.outcome.signature, f);
	if (r >= 0 && f->strayed) {
		r = follow(hunt, s);
		r = r < 0 ? r : vtb_hunt_confirm(hunt, &s->schedule, s->exec.outcome.signature, f);
	}
	f->tuple = s->tuple;
	f->minimal |= s->tuple.c == 0; /* nothing is below */
	if (r >= 0)
		vtb_hunt_name_test(hunt, f);
	if (r >= 0)
		r = vtb_hunt_show(hunt, &s->schedule, &s->exec, f);
	return r < 0 ? r : vtb_exec_name_ops(&s->exec, hunt->runner->tab, &s->schedule);
}

/* Take *s over. */
static void take(struct vtb_finding *f, struct vtb_shrunk *s)
{
	vtb_schedule_fini(&f->schedule);
	vtb_exec_fini(&f->exec);
	f->schedule = s->schedule;
	f->exec = s->exec;
	*s = (struct vtb_shrunk){ 0 };
}

static int copy(const struct vtb_finding *f, struct vtb_shrunk *ret)
{
	int r = vtb_schedule_copy(&f->schedule, &ret->schedule);

	ret->tuple = f->tuple;
	return r < 0 ? r : vtb_exec_copy(&f->exec, &ret->exec);
}

static void forget(struct vtb_finding *f, struct vtb_shrunk *s)
{
	vtb_shrunk_fini(s);
	free(f->test);
	vtb_exec_fini(&f->shown);
	vtb_said_fini(&f->said);
}

/* Instead of *f, unless there was no time to prove it as well as that, or it does not fail again as often. */
static int replace(struct vtb_hunt *hunt, struct vtb_finding *f, struct vtb_finding *better, struct vtb_shrunk *s)
{
	const struct vtb_tuple tuple = better->tuple;
	int r = prove(hunt, better, s);

	better->tuple.t = tuple.t;
	if (r < 0 || better->replays < f->replays || better->confirmed < f->confirmed) {
		forget(better, s);
		return r;
	}
	take(f, s);
	vtb_exec_fini(&f->shown);
	f->shown = better->shown;
	vtb_said_fini(&f->said);
	f->said = better->said;
	f->tuple = better->tuple;
	f->t_known = better->t_known;
	f->minimal = better->minimal;
	f->confirmed = better->confirmed;
	f->replays = better->replays;
	free(f->test);
	f->test = better->test;
	return 0;
}

/* It is in the result and told before anything is made simpler. */
static int make_simpler(struct vtb_hunt *hunt, struct vtb_finding *f, const struct vtb_tuple *empty_below)
{
	struct vtb_finding better = { 0 };
	struct vtb_shrunk s = { 0 };
	int r;

	f->refining = true;
	r = hunt->proved ? hunt->proved(hunt, f) : 0;
	if (r >= 0)
		r = copy(f, &s);
	if (r >= 0 && vtb_hunt_refine_seconds(hunt) > 0 && !vtb_hunt_due(hunt)) {
		r = vtb_hunt_refine(hunt, &better, &s, empty_below);
		r = r < 0 ? r : replace(hunt, f, &better, &s);
		r = r < 0 ? r : vtb_finding_causes(hunt, f);
	}
	f->refining = false;
	vtb_shrunk_fini(&s);
	return r;
}

int vtb_hunt_add_finding(struct vtb_hunt *hunt, const struct vtb_exec *failing, uint64_t schedule_number,
                         const struct vtb_tuple *empty_below)
{
	struct vtb_hunt_result *result = hunt->result;
	struct vtb_finding f = { .schedule_number = schedule_number, .first_c = vtb_exec_tuple(failing).c };
	struct vtb_shrunk s;
	int r;

	if (known(result, failing) || vtb_baseline_knows(hunt->opts->baseline, failing->outcome.signature))
		return 1;
	r = describe(hunt, failing, &s);
	if (r >= 0)
		r = prove(hunt, &f, &s);
	if (r >= 0 && f.replays && !f.confirmed)
		r = -VTB_E_DIVERGED; /* twice was chance */
	if (r >= 0)
		r = vtb_array_room(result, findings);
	if (r < 0)
		forget(&f, &s);
	if (r == -VTB_E_DIVERGED) {
		vtb_info("A failing run did not come again: signature=\"%s\"", failing->outcome.signature);
		result->facts.not_again++;
		return 1;
	}
	if (r < 0)
		return vtb_error_set(hunt->err, r, NULL, 0, "cannot work out a finding");
	take(&f, &s);
	result->findings[result->n_findings] = f;
	return make_simpler(hunt, &result->findings[result->n_findings++], empty_below);
}
