/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "per_test.h"
#include "progress.h"
#include "vtb/hunt_junit.h"
#include "vtb/hunt_report.h"
#include "vtb/search_options.h"

struct hunt_args {
	struct vtb_cli cli;
	struct vtb_hunt_opts opts;
	bool per_test;
	const char *junit; /* file for JUnit XML, or NULL */
};

#define MEMBER(name) offsetof(struct hunt_args, name)

static const char *const auto_off_on[] = { "auto", "off", "on", NULL }; /* enum vtb_search_selective */

static const struct vtb_cli_row rows[] = {
	{ "confirm", "N", "Replay a failing schedule N times before it counts (default 3)", VTB_CLI_U32,
	  .member = MEMBER(opts.confirm), .least = 1, .most = 1000 },
	{ "junit", "FILE", "Write JUnit XML: a test case for the hunt, or, with --per-test, for each test",
	  VTB_CLI_TEXT, .member = MEMBER(junit) },
	{ "keep-going", NULL, "Do not stop at the first failure: look for different ones", VTB_CLI_FLAG,
	  .member = MEMBER(opts.keep_going) },
	{ "max-memory", "MB", "End when vtb itself holds so much memory (default: half of what is free)", VTB_CLI_U32,
	  .member = MEMBER(opts.memory_mb), .least = 1, .most = 1u << 30 },
	{ "no-canary", NULL, "Skip the check of the machinery on a planted race", VTB_CLI_FLAG,
	  .member = MEMBER(opts.no_canary) },
	{ "output", "DIR", "Write failure.json, order.svg and order.dot there (default: here)", VTB_CLI_TEXT,
	  .member = MEMBER(opts.out_dir), .letter = 'o' },
	{ "per-test", NULL,
	  "PROGRAM is a test program (googletest, Catch2, cmocka) or a build directory of ctest: hunt each of its "
	  "tests by itself; --time is for all of them",
	  VTB_CLI_FLAG, .member = MEMBER(per_test) },
	{ "profile", "DIR", "Tier watch: choose the variables from this recording of vtb-record --backend=qemu",
	  VTB_CLI_TEXT, .member = MEMBER(opts.profile) },
	{ "refine", "SECONDS",
	  "Look so long for a simpler order of a failure that was proved and told (default: a fifth of --time, at most "
	  "10)",
	  VTB_CLI_REAL, .member = MEMBER(opts.refine), .real_most = 1e9 },
	{ "run", NULL, "Run the command that FILE of --verify-fix names, without asking", VTB_CLI_FLAG,
	  .member = MEMBER(opts.consent.given) },
	{ "selective", "WHEN",
	  "Leave accesses to variables at which a schedule does not deviate out of its run: auto (default: where it "
	  "pays), on, off",
	  VTB_CLI_CHOICE, .member = MEMBER(opts.search.selective), .names = auto_off_on },
	{ "verify-fix", "FILE", "Does the failure of this failure.json still happen? Replay it, then hunt around it",
	  VTB_CLI_TEXT, .member = MEMBER(opts.verify_fix) },
	{ 0 },
};

static error_t argument(int key, char *arg, struct argp_state *state, void *data)
{
	struct vtb_hunt_opts *opts = data;

	(void)arg;
	if (key == ARGP_KEY_ARG) /* the program: what follows is its own */
		opts->argv = vtb_cli_take_program(state);
	else if (key != ARGP_KEY_NO_ARGS)
		return ARGP_ERR_UNKNOWN;
	else if (!opts->verify_fix)
		argp_error(state, "no program given; use: vtb hunt [options] -- ./program args");
	return 0;
}

static void read_options(struct hunt_args *a, int argc, char **argv)
{
	const struct vtb_cli_command command = {
		"[--] PROGRAM [ARGS...]",
		"Run PROGRAM under one thread schedule after another until it fails; then shrink that schedule, "
		"confirm it, explain it and write failure.json and order.svg.\v"
		"Exit: 0 nothing found within the printed bound, 1 a bug, 2 usage or bad input, 3 the run proves "
		"nothing. "
		"Ctrl-C ends the search and reports; a second one aborts.",
		true,
		&a->cli,
		{ { NULL, rows, a },
		  { "The search:", vtb_search_rows, &a->opts.search },
		  { "The program:", vtb_runner_rows, &a->opts.runner } },
		argument,
		&a->opts,
	};

	vtb_cli_init(argv[0]);
	vtb_hunt_opts_init(&a->opts);
	a->opts.consent.ask = vtb_cli_ask;
	vtb_cli_parse(&command, argc, argv);
	a->opts.search.seed = a->cli.seed;
}

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

	if (a->cli.json) {
		vtb_hunt_report_json(result, stdout);
		return vtb_hunt_exit_code(result);
	}
	text = vtb_cli_text(stdout);
	if (a->cli.quiet)
		vtb_hunt_report_short(result, text);
	else
		vtb_hunt_report(result, &style, text);
	fclose(text);
	return vtb_hunt_exit_code(result);
}

int main(int argc, char **argv)
{
	struct hunt_args a = { 0 };
	struct vtb_hunt_result result;
	struct vtb_error err = { 0 };
	struct vtb_progress progress;
	int r;

	read_options(&a, argc, argv);
	vtb_progress_begin(&progress, a.cli.quiet || a.cli.json, &a.opts);
	progress.style = style_of(&a);
	progress.no_block = a.per_test; /* several hunts, one after the other */
	if (a.per_test && a.opts.argv) {
		r = vtb_per_test(&a.cli, &a.opts, a.junit);
		vtb_progress_end(&progress);
		return r;
	}
	r = vtb_hunt_run(&a.opts, &result, &err);
	vtb_progress_end(&progress);
	if (r < 0)
		return vtb_cli_fail(r, &err);
	vtb_progress_erase(&progress);
	r = show(&a, &result);
	if (a.junit && vtb_hunt_junit_write(a.junit, &result, &err) < 0)
		r = vtb_cli_fail(-EIO, &err);
	vtb_hunt_result_fini(&result);
	return r;
}
