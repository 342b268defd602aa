/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/viz.h"

#include <errno.h>
#include <string.h>

#include "reporter.h"
#include "vtb/json.h"
#include "vtb/output.h"

static const struct reporter *const reporters[] = {
	&reporter_text,     &reporter_dot,   &reporter_svg,   &reporter_html,   &reporter_markdown,
	&reporter_perfetto, &reporter_sarif, &reporter_junit, &reporter_github, &reporter_tree,
};
#define N_REPORTERS (sizeof(reporters) / sizeof(reporters[0]))

const struct vtb_viz_format *vtb_viz_format(size_t i)
{
	return i < N_REPORTERS ? &reporters[i]->format : NULL;
}

int vtb_viz_format_by_name(const char *name)
{
	for (size_t i = 0; i < N_REPORTERS; i++)
		if (!strcmp(reporters[i]->format.name, name))
			return (int)i;
	return -EINVAL;
}

/* Whichever of the three the file is. */
struct source {
	struct vtb_trace trace;
	struct vtb_failure failure;
	struct vtb_schedules schedules;
	struct report report;
	struct picture picture;
};

static int read_trace(struct source *s, const struct vtb_viz_opts *opts, struct vtb_error *err)
{
	const int r = vtb_trace_read(opts->path, &s->trace, err);

	if (r < 0)
		return r;
	s->report.trace = s->report.own = &s->trace;
	return picture_of_trace(&s->trace, NULL, &s->picture);
}

static int take_failure(struct source *s, const struct vtb_failure *failure)
{
	s->report.failure = failure;
	s->report.trace = &failure->trace;
	s->report.schedules = &failure->schedule;
	return picture_of_trace(NULL, failure, &s->picture);
}

static int read_failure(struct source *s, const struct vtb_viz_opts *opts, struct vtb_error *err)
{
	const int r = vtb_failure_read(opts->path, &s->failure, err);

	s->report.own = &s->failure.trace;
	return r < 0 ? r : take_failure(s, &s->failure);
}

static int read_schedules(struct source *s, const struct vtb_viz_opts *opts, struct vtb_error *err)
{
	const int r = vtb_schedules_read(opts->path, &s->schedules, err);

	if (r < 0)
		return r;
	if (opts->schedule >= s->schedules.n_schedules)
		return vtb_error_set(err, -VTB_E_SCHEMA, opts->path, 0, "has %zu schedules, there is no number %zu",
		                     s->schedules.n_schedules, opts->schedule + 1);
	s->report.schedules = &s->schedules;
	return picture_of_schedule(&s->schedules, opts->schedule, &s->picture);
}

static const struct {
	const char *format;
	int (*read)(struct source *s, const struct vtb_viz_opts *opts, struct vtb_error *err);
} kinds[] = {
	{ "vtb-trace", read_trace },
	{ "vtb-failure", read_failure },
	{ "vtb-schedules", read_schedules },
};

static int read_source(struct source *s, const struct vtb_viz_opts *opts, struct vtb_error *err)
{
	struct vtb_json *doc;
	int r = vtb_json_read(opts->path, VTB_JSON_BYTES_MAX, &doc, err);

	if (r < 0)
		return r;
	r = vtb_error_set(err, -VTB_E_FORMAT, opts->path, 0, "is no trace, failure or schedules file of vtb");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(vtb_json_format(doc), kinds[i].format))
			r = (int)i;
	vtb_json_free(doc);
	if (r < 0)
		return r;
	r = kinds[r].read(s, opts, err);
	if (r == -ENOMEM)
		vtb_error_set(err, r, opts->path, 0, "not enough memory");
	return r;
}

static int write_report(const struct source *s, const struct vtb_viz_opts *opts, struct vtb_error *err)
{
	struct vtb_output out = { 0 };
	int r = vtb_output_open(&out, opts->output ? opts->output : "-", err), cut;

	if (r < 0)
		return r;
	cut = r = reporters[opts->format]->write(&s->report, out.file, err);
	if (r >= 0)
		r = vtb_output_commit(&out, err);
	vtb_output_abort(&out);
	return r < 0 ? r : cut;
}

int vtb_viz_run(const struct vtb_viz_opts *opts, struct vtb_error *err)
{
	struct source s = { 0 };
	int r;

	vtb_trace_init(&s.trace);
	vtb_failure_init(&s.failure);
	s.report.path = opts->path;
	s.report.style = &opts->style;
	s.report.tree = &opts->tree;
	s.report.picture = &s.picture;
	r = opts->format >= N_REPORTERS ? -EINVAL
	    : opts->failure             ? take_failure(&s, opts->failure)
	                                : read_source(&s, opts, err);
	if (r >= 0)
		r = write_report(&s, opts, err);
	picture_fini(&s.picture);
	vtb_trace_fini(&s.trace);
	vtb_failure_fini(&s.failure);
	vtb_schedules_fini(&s.schedules);
	return r;
}
