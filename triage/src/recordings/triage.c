/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/triage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "aimed.h"
#include "differences.h"
#include "suspects.h"
#include "vtb/array.h"
#include "vtb/decode.h"
#include "vtb/synth.h"

#define SYNTH_SECONDS 5.0
#define SYNTH_SCHEDULES 20000u

static bool is_failure(const struct vtb_trace *trace)
{
	return vtb_verdict_exit_code(trace->outcome.verdict) == 1;
}

static int read_recording(const char *path, struct vtb_trace *trace, struct vtb_error *err)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		return vtb_trace_read(path, trace, err);
	return vtb_decode_read(path, trace, err);
}

static int note_recording(struct vtb_triage *t, const char *dir, const struct vtb_trace *trace)
{
	struct vtb_triage_recording *rec;

	if (vtb_array_room(t, recordings) < 0)
		return -ENOMEM;
	rec = &t->recordings[t->n_recordings++];
	*rec = (struct vtb_triage_recording){ .dir = strdup(dir),
		                              .failing = is_failure(trace),
		                              .verdict = trace->outcome.verdict,
		                              .signature =
		                                  strdup(trace->outcome.signature ? trace->outcome.signature : ""),
		                              .events = trace->n_events };
	t->failing += rec->failing;
	t->passing += !rec->failing;
	t->order_total &= trace->order == VTB_ORDER_TOTAL;
	return rec->dir && rec->signature ? 0 : -ENOMEM;
}

static int read_all(const struct vtb_triage_opts *opts, struct vtb_triage *t, struct vtb_suspects *suspects,
                    struct vtb_error *err)
{
	int r = 0;

	for (size_t i = 0; i < opts->n_dirs && r >= 0; i++) {
		struct vtb_trace trace;

		vtb_trace_init(&trace);
		r = read_recording(opts->dirs[i], &trace, err);
		if (r >= 0)
			r = note_recording(t, opts->dirs[i], &trace);
		if (r >= 0)
			r = vtb_suspects_add(suspects, &trace, is_failure(&trace));
		vtb_trace_fini(&trace);
	}
	return r;
}

size_t vtb_triage_alike(const struct vtb_triage *t, size_t i)
{
	size_t n = 0;

	for (size_t k = 0; k < t->n_recordings; k++)
		n += t->recordings[k].failing && t->recordings[i].failing &&
		     t->recordings[k].verdict == t->recordings[i].verdict &&
		     strcmp(t->recordings[k].signature, t->recordings[i].signature) == 0;
	return n;
}

/* Of the failure that most of them show the one with the fewest events: it is the easiest to understand. */
static int read_failing(const struct vtb_triage *t, struct vtb_trace *ret, struct vtb_error *err)
{
	const struct vtb_triage_recording *best = NULL;
	size_t alike = 0;

	for (size_t i = 0; i < t->n_recordings; i++) {
		const size_t n = vtb_triage_alike(t, i);

		if (n > alike || (n && n == alike && t->recordings[i].events < best->events)) {
			best = &t->recordings[i];
			alike = n;
		}
	}
	return best ? read_recording(best->dir, ret, err) : 0;
}

static int take(const struct vtb_synth *synth, size_t from, size_t to, const struct vtb_symtab *tab,
                struct vtb_schedules *ret)
{
	int r = 0;

	for (size_t i = from; i < to && i < synth->n_candidates && r >= 0; i++)
		r = vtb_schedules_add(ret, &synth->candidates[i].schedule, tab);
	return r;
}

/* The failing run's own order first, then the orders that only failing runs have, then what lies next to it. */
static int make_candidates(const struct vtb_triage_opts *opts, struct vtb_triage *t, struct vtb_trace *failing,
                           struct vtb_schedules *ret, struct vtb_error *err)
{
	const size_t want = opts->candidates ? opts->candidates : VTB_TRIAGE_CANDIDATES;
	struct vtb_synth_opts so;
	struct vtb_synth synth;
	int r;

	vtb_synth_opts_init(&so);
	so.search.seconds = SYNTH_SECONDS;
	so.search.budget = SYNTH_SCHEDULES;
	so.search.seed = opts->hunt.search.seed;
	so.top = want;
	r = vtb_synth_run(failing, &so, &synth, err);
	if (r == -VTB_E_UNSUPPORTED) /* no operations were recorded: only the search is left */
		return 0;
	if (r < 0)
		return r;
	r = take(&synth, 0, 1, &failing->tab, ret);
	if (r >= 0)
		r = vtb_aimed_schedules(failing, t->suspects, t->n_suspects, ret, &t->n_aimed);
	if (r >= 0)
		r = take(&synth, 1, want, &failing->tab, ret);
	vtb_synth_fini(&synth);
	return r;
}

/* A schedule is to blame, not every one. */
static bool found_by_schedule(const struct vtb_triage *t)
{
	for (size_t i = 0; t->hunted && i < t->hunt.n_findings; i++)
		if (!t->hunt.findings[i].regardless)
			return true;
	return false;
}

bool vtb_triage_not_schedule(const struct vtb_triage *t)
{
	return t->hunted && t->failing && t->passing && !found_by_schedule(t) && (t->same_order || t->n_differs);
}

static int hunt(const struct vtb_triage_opts *opts, struct vtb_triage *t, struct vtb_trace *failing,
                struct vtb_error *err)
{
	/* The program is the first: of its libraries, and of the runtime, others may do as well. */
	const struct vtb_symtab program = { .modules = failing->tab.modules, .n_modules = failing->tab.n_modules > 0 };
	struct vtb_schedules candidates = { 0 };
	struct vtb_hunt_opts ho = opts->hunt;
	int r = make_candidates(opts, t, failing, &candidates, err);

	t->n_candidates = candidates.n_schedules;
	if (r >= 0) {
		ho.candidates = &candidates;
		ho.recorded = &program;
		ho.candidates_signature = failing->outcome.signature;
		if (!ho.argv) {
			ho.argv = failing->argv;
			ho.cwd = ho.cwd ? ho.cwd : failing->cwd;
		}
		if (!ho.argv || !ho.argv[0])
			r = vtb_error_set(err, -EINVAL, NULL, 0, "no program is recorded and none was given");
		else if (!opts->hunt.argv)
			r = vtb_consent_check(&ho.consent, "the recording", ho.argv, ho.cwd, err);
		if (r >= 0)
			r = vtb_hunt_run(&ho, &t->hunt, err);
	}
	vtb_schedules_fini(&candidates);
	t->hunted = r >= 0;
	if (r >= 0 && !found_by_schedule(t)) {
		r = vtb_differences_recorded(t);
		if (r >= 0)
			r = vtb_differences_tried(t, &ho);
		if (r >= 0)
			r = vtb_differences_outside(t);
	}
	return r;
}

int vtb_triage_run(const struct vtb_triage_opts *opts, struct vtb_triage *ret, struct vtb_error *err)
{
	struct vtb_triage t = { .order_total = true };
	struct vtb_suspects *suspects = NULL;
	struct vtb_trace failing;
	int r = vtb_suspects_new(&suspects);

	vtb_trace_init(&failing);
	if (r >= 0)
		r = read_all(opts, &t, suspects, err);
	if (r >= 0)
		r = read_failing(&t, &failing, err);
	if (r >= 0)
		r = vtb_suspects_rank(suspects, t.failing, t.passing, t.suspects, VTB_TRIAGE_SUSPECTS, &t.n_suspects);
	t.same_order = r >= 0 && t.failing && t.passing && vtb_suspects_same(suspects, t.failing);
	if (r >= 0 && t.failing)
		r = hunt(opts, &t, &failing, err);
	vtb_suspects_free(suspects);
	vtb_trace_fini(&failing);
	if (r < 0) {
		vtb_triage_fini(&t);
		return r == -ENOMEM ? vtb_error_set(err, r, NULL, 0, "out of memory") : r;
	}
	*ret = t;
	return 0;
}

void vtb_triage_fini(struct vtb_triage *t)
{
	for (size_t i = 0; i < t->n_recordings; i++) {
		free(t->recordings[i].dir);
		free(t->recordings[i].signature);
	}
	free(t->recordings);
	for (size_t i = 0; i < t->n_suspects; i++) {
		free(t->suspects[i].variable);
		free(t->suspects[i].earlier);
		free(t->suspects[i].later);
	}
	for (size_t i = 0; i < t->n_differs; i++)
		free(t->differs[i]);
	free(t->differs);
	if (t->hunted)
		vtb_hunt_result_fini(&t->hunt);
	*t = (struct vtb_triage){ 0 };
}

int vtb_triage_exit_code(const struct vtb_triage *t)
{
	return t->hunted && !vtb_triage_not_schedule(t) ? vtb_hunt_exit_code(&t->hunt) : 3;
}
