/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A suite of one test (vtb/junit.h). */
#include <errno.h>

#include "reporter.h"
#include "vtb/junit.h"

/* A trace is a failure of which nothing else is known. */
static int add(struct vtb_junit *j, const struct report *report)
{
	const struct vtb_trace *trace = report->trace;
	const char *name = trace->argv && trace->argv[0] ? trace->argv[0] : "program";
	const struct vtb_failure bare = { .trace = *trace, .verdict = trace->outcome.verdict };
	const struct vtb_failure *f = report->failure ? report->failure : &bare;

	if (report->picture->failed)
		return vtb_junit_failed(j, name, (double)f->found.msec / 1000, f, 1);
	vtb_junit_ended(j, name, 0, VTB_JUNIT_PASSED, "");
	return 0;
}

static int write(const struct report *report, FILE *f, struct vtb_error *err)
{
	struct vtb_junit j;
	int r;

	if (!report->trace)
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, report->path, 0,
		                     "is a schedule that has not run: there is no result to report");
	r = vtb_junit_begin(&j);
	if (r >= 0)
		r = add(&j, report);
	if (r >= 0)
		r = vtb_junit_end(&j, f);
	vtb_junit_fini(&j);
	return r < 0 ? vtb_error_set(err, r, report->path, 0, "not enough memory") : 0;
}

const struct reporter reporter_junit = {
	.format = { "junit", "JUnit XML with flakyFailure, for CI" },
	.write = write,
};
