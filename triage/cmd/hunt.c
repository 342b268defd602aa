/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "hunt_args.h"
#include "lost_files.h"
#include "progress.h"
#include "vtb/argv.h"
#include "vtb/hunt_junit.h"
#include "vtb/hunt_report.h"

static struct vtb_report_style style_of(const struct hunt_args *a)
{
	return (struct vtb_report_style){ .colored = vtb_cli_colored(&a->cli, stdout),
		                          .width = vtb_progress_width(stdout),
		                          .whole_tables = !vtb_cli_width(stdout),
		                          .verbose = a->cli.verbose };
}

static int show(const struct hunt_args *a, const struct vtb_hunt_result *result)
{
	const struct vtb_report_style style = style_of(a);
	FILE *text;

	if (a->cli.json || a->cli.quiet)
		lost_files_tell(result);
	if (a->cli.json) {
		vtb_hunt_report_json(result, stdout);
		return vtb_hunt_exit_code(result);
	}
	if (result->put_aside && !a->cli.quiet)
		vtb_cli_error("failure.json of an earlier hunt is now failure.json.old");
	if (*result->spared && !a->cli.quiet)
		vtb_cli_error("a file that vtb has not written is now %s", result->spared);
	text = vtb_cli_text(stdout);
	if (a->cli.quiet)
		vtb_hunt_report_short(result, text);
	else
		vtb_hunt_report(result, &style, text);
	fclose(text);
	return vtb_hunt_exit_code(result);
}

/* On standard error if results are read by programs. */
static void tell_baseline(struct hunt_args *a)
{
	FILE *text = vtb_cli_text(a->cli.json ? stderr : stdout);

	vtb_baseline_tell(&a->baseline, text);
	fclose(text);
	vtb_baseline_fini(&a->baseline);
}

static int hunt(struct hunt_args *a, struct vtb_progress *progress)
{
	struct vtb_hunt_result result;
	struct vtb_error err = { 0 };
	int r;

	progress->no_block = a->per_test || a->suite.ctest; /* several hunts, one after the other */
	if (progress->no_block) {
		r = vtb_per_test(&a->cli, &a->opts, &a->suite);
		vtb_progress_end(progress);
		return r;
	}
	r = vtb_hunt_run(&a->opts, &result, &err);
	vtb_progress_end(progress);
	if (r < 0)
		return vtb_cli_fail(r, &err);
	vtb_progress_erase(progress);
	r = show(a, &result);
	if (a->suite.junit && vtb_hunt_junit_write(a->suite.junit, &result, &err) < 0)
		r = vtb_cli_fail(-EIO, &err);
	vtb_hunt_result_fini(&result);
	return r;
}

int main(int argc, char **argv)
{
	struct hunt_args a = { 0 };
	struct vtb_error err = { 0 };
	struct vtb_progress progress;
	char today[11];
	int r = 0;

	vtb_hunt_read_args(&a, argc, argv);
	if (a.baseline_path)
		r = vtb_baseline_read(a.baseline_path, vtb_baseline_today(today), &a.baseline, &err);
	if (r < 0)
		return vtb_cli_fail(r, &err);
	a.opts.baseline = a.baseline_path ? &a.baseline : NULL;
	vtb_progress_begin(&progress, a.cli.quiet || a.cli.json, &a.opts);
	progress.style = style_of(&a);
	r = hunt(&a, &progress);
	tell_baseline(&a);
	vtb_argv_free(a.pinned);
	free(a.options);
	return r;
}
