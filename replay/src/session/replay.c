/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vtb-replay: schedules of a file, one after the other, and what became of them. */
#include "session.h"

#include "vtb/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 64 /* schedules run as one batch */
#define DEFAULT_TIMES 3

struct replay {
	struct session session;
	struct vtb_replay_report *report;
	uint32_t times;
};

void vtb_replay_report_fini(struct vtb_replay_report *r)
{
	for (size_t i = 0; i < r->n_rows; i++)
		free(r->rows[i].notes);
	free(r->rows);
	free(r->file_text);
	vtb_runner_free(r->runner);
	vtb_schedules_fini(&r->file);
	*r = (struct vtb_replay_report){ 0 };
}

int vtb_replay_report_exit_code(const struct vtb_replay_report *r)
{
	if (r->confirmed)
		return 1;
	return r->failing || r->diverged || r->inconclusive ? 3 : 0;
}

/* ---- one row */

static void count_row(struct vtb_replay_report *report, const struct vtb_replay_row *row)
{
	if (row->confirmed)
		report->confirmed++;
	else if (row->diverged)
		report->diverged++;
	else if (row->failing)
		report->failing++;
	else if (vtb_replay_exit_code(&row->outcome))
		report->inconclusive++;
	else
		report->passed++;
}

static int confirm(struct replay *rp, const struct vtb_schedule *s, struct vtb_replay_row *row, struct vtb_error *err)
{
	struct vtb_confirmation c;
	int r = vtb_replay_confirm(rp->session.runner, s, rp->times, NULL, &c, err);

	if (r < 0)
		return r;
	row->runs = c.runs;
	row->failing = c.failing;
	row->confirmed = c.confirmed;
	row->diverged |= c.diverged != 0;
	if (c.reason[0])
		snprintf(row->reason, sizeof(row->reason), "%s", c.reason);
	else if (rp->session.is_failure && rp->session.failure.signature &&
	         strcmp(rp->session.failure.signature, c.signature))
		snprintf(row->reason, sizeof(row->reason), "the recorded failure was %.200s",
		         rp->session.failure.signature);
	vtb_confirmation_fini(&c);
	return 0;
}

static int write_failure(struct replay *rp, const struct vtb_schedule *s, struct vtb_error *err)
{
	struct vtb_failure f;
	int r;

	vtb_failure_init(&f);
	r = vtb_replay_failure(rp->session.runner, s, rp->session.argv, &f, err);
	if (r >= 0) {
		struct vtb_process_info info;

		vtb_process_runner_info(rp->session.runner, &info);
		f.confirmed = rp->times;
		f.options.real_time = rp->session.real_time;
		f.options.fail_if = rp->session.fail_if ? strdup(rp->session.fail_if) : NULL;
		f.options.expect_output = rp->session.expect_output ? realpath(rp->session.expect_output, NULL) : NULL;
		r = vtb_kept_input_copy(info.input, &f.input);
		f.options.follow = rp->session.follow;
		f.options.tier = strdup(info.tier);
		f.options.engine = strdup(vtb_engine_name((int)info.engine));
		f.options.carrier = strdup(vtb_carrier_name(info.carrier));
		if (asprintf(&f.replay_command, "vtb-replay %s", rp->session.opts->output) < 0)
			f.replay_command = NULL;
		if (r >= 0)
			r = vtb_failure_write(&f, rp->session.opts->output, err);
		rp->report->failure_written = r >= 0;
	}
	vtb_failure_fini(&f);
	return r;
}

/* What the first run of a schedule says; a failing one is run again. */
static int judge(struct replay *rp, const struct vtb_resolution *res, const struct vtb_exec *x,
                 struct vtb_replay_row *row, struct vtb_error *err)
{
	struct vtb_place_note note;
	int r = 0;

	row->outcome = x->outcome;
	row->runs = 1;
	row->failing = vtb_verdict_exit_code(x->outcome.verdict) == 1;
	row->diverged = vtb_replay_diverged(&x->outcome);
	if (!vtb_replay_follows(x, rp->session.runner->tab, &res->schedule, &note)) {
		row->diverged = true;
		snprintf(row->reason, sizeof(row->reason), "%s", note.text);
	} else if (row->diverged) {
		snprintf(row->reason, sizeof(row->reason), "a deviation or constraint did not find its place");
	}
	if (row->failing && !row->diverged)
		r = confirm(rp, &res->schedule, row, err);
	if (row->confirmed && x->outcome.flags & VTB_OUT_CHILDREN)
		snprintf(row->reason, sizeof(row->reason),
		         "a child process ran or slept meanwhile: when it goes on no schedule says");
	if (r >= 0 && row->confirmed && rp->session.opts->output && !rp->report->failure_written)
		r = write_failure(rp, &res->schedule, err);
	return r;
}

static int take_notes(struct vtb_resolution *res, struct vtb_replay_row *row)
{
	row->notes = res->notes;
	row->n_notes = res->n_notes;
	row->by_name = res->by_name;
	res->notes = NULL;
	res->n_notes = res->cap_notes = 0;
	return 0;
}

/* ---- a chunk */

struct chunk {
	struct vtb_resolution res[CHUNK];
	struct vtb_exec execs[CHUNK];
	const struct vtb_schedule *run[CHUNK];
	size_t n;     /* schedules of the chunk */
	size_t n_run; /* of these, those that could be resolved: run[0..n_run) */
};

static int resolve_chunk(struct replay *rp, size_t first, struct chunk *c, struct vtb_error *err)
{
	const struct vtb_schedules *file = &rp->session.file;

	for (size_t i = 0; i < c->n; i++) {
		int r = vtb_replay_resolve(rp->session.runner, &file->schedules[first + i], &file->tab, rp->session.how,
		                           &c->res[i], err);

		if (r < 0)
			return r;
		if (!c->res[i].unresolved)
			c->run[c->n_run++] = &c->res[i].schedule;
	}
	return 0;
}

static int judge_chunk(struct replay *rp, size_t first, struct chunk *c, struct vtb_error *err)
{
	size_t k = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct vtb_replay_row row = { .schedule = (uint32_t)(first + i + 1),
			                      .outcome = { .signature = "",
			                                   .message = "",
			                                   .thread = VTB_NONE,
			                                   .site = VTB_NONE,
			                                   .var = VTB_NONE } };
		int r = vtb_array_room(rp->report, rows);

		if (r < 0)
			return vtb_error_set(err, r, NULL, 0, "%s", vtb_strerror(r));
		if (c->res[i].unresolved) {
			row.diverged = true;
			row.outcome.verdict = VTB_V_DIVERGED;
			snprintf(row.reason, sizeof(row.reason), "not run: %zu of its operations were not found again",
			         c->res[i].unresolved);
		} else {
			if (rp->session.is_failure) /* it is known that it can be followed */
				r = vtb_replay_resolve_again(rp->session.runner, &rp->session.file.schedules[first + i],
				                             &rp->session.file.tab, &c->res[i], &c->execs[k], err);
			if (r >= 0)
				r = judge(rp, &c->res[i], &c->execs[k++], &row, err);
		}
		if (r < 0)
			return r;
		take_notes(&c->res[i], &row);
		rp->report->rows[rp->report->n_rows++] = row;
		count_row(rp->report, &row);
	}
	return 0;
}

static int replay_chunk(struct replay *rp, size_t first, size_t n, struct vtb_error *err)
{
	struct chunk *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return vtb_error_set(err, -ENOMEM, NULL, 0, "%s", vtb_strerror(-ENOMEM));
	c->n = n;
	r = resolve_chunk(rp, first, c, err);
	if (r >= 0)
		r = vtb_runner_run(rp->session.runner, c->run, c->n_run, c->execs, err);
	if (r >= 0)
		r = judge_chunk(rp, first, c, err);
	for (size_t i = 0; i < n; i++) {
		vtb_exec_fini(&c->execs[i]);
		vtb_resolution_fini(&c->res[i]);
	}
	free(c);
	return r;
}

static int replay_all(struct replay *rp, struct vtb_error *err)
{
	const uint32_t only = rp->session.opts->schedule;
	const size_t first = only ? only - 1 : 0, end = only ? only : rp->session.file.n_schedules;
	int r = 0;

	for (size_t i = first; i < end && r >= 0; i += CHUNK)
		r = replay_chunk(rp, i, end - i < CHUNK ? end - i : CHUNK, err);
	return r;
}

/* The table of names and the file's command live on in the report. */
static void hand_over(struct replay *rp)
{
	struct vtb_replay_report *report = rp->report;

	report->runner = rp->session.runner;
	report->file = rp->session.file;
	report->argv = rp->session.argv;
	if (rp->session.plan.without)
		report->file_text = strdup(rp->session.plan.text);
	rp->session.runner = NULL;
	rp->session.file = (struct vtb_schedules){ 0 };
}

int vtb_replay_run(const struct vtb_replay_opts *opts, struct vtb_replay_report *ret, struct vtb_error *err)
{
	struct vtb_replay_report report = { 0 };
	struct replay rp = { .report = &report, .times = opts->times ? opts->times : DEFAULT_TIMES };
	int r = vtb_session_open(&rp.session, opts, err);

	if (r >= 0)
		r = replay_all(&rp, err);
	if (r >= 0)
		hand_over(&rp);
	vtb_session_close(&rp.session);
	if (r < 0)
		vtb_replay_report_fini(&report);
	else
		*ret = report;
	return r;
}

int vtb_replay_exec(const struct vtb_replay_opts *opts, struct vtb_error *err)
{
	struct session s;
	struct vtb_resolution res = { 0 };
	int r = vtb_session_open(&s, opts, err);

	if (r >= 0 && !opts->schedule && s.file.n_schedules != 1)
		r = vtb_error_set(err, -EINVAL, opts->path, 0, "has %zu schedules; choose one with --schedule",
		                  s.file.n_schedules);
	if (r >= 0 && s.plan.n_breaks)
		r = vtb_error_set(
		    err, -VTB_E_UNSUPPORTED, opts->path, 0,
		    "tier break and a debugger both want the breakpoints; use a build with hooks (-fsanitize=thread)");
	if (r >= 0)
		r = vtb_replay_resolve(s.runner, &s.file.schedules[opts->schedule ? opts->schedule - 1 : 0],
		                       &s.file.tab, s.how, &res, err);
	if (r >= 0 && res.unresolved)
		r = vtb_error_set(err, -VTB_E_DIVERGED, opts->path, 0, "%s",
		                  res.n_notes ? res.notes[res.n_notes - 1].text : "operations were not found again");
	if (r >= 0)
		r = vtb_process_runner_exec(s.runner, &res.schedule, err);
	vtb_resolution_fini(&res);
	vtb_session_close(&s);
	return r;
}
