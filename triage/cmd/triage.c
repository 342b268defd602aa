/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "progress.h"
#include "vtb/search_options.h"
#include "vtb/triage.h"

struct triage_args {
	struct vtb_cli cli;
	struct vtb_triage_opts opts;
	const char **dirs; /* room for all arguments */
};

#define MEMBER(name) offsetof(struct triage_args, name)

static const struct vtb_cli_row rows[] = {
	{ "candidates", "N", "Schedules from the failing recording to try first (default 20)", VTB_CLI_U64,
	  .member = MEMBER(opts.candidates), .least = 1, .most = 100000 },
	{ "output", "DIR", "Write failure.json, order.svg and order.dot there (default: nothing is written)",
	  VTB_CLI_TEXT, .member = MEMBER(opts.hunt.out_dir), .letter = 'o' },
	{ "run", NULL, "Run the command that was recorded, without asking", VTB_CLI_FLAG,
	  .member = MEMBER(opts.hunt.consent.given) },
	{ 0 },
};

static error_t argument(int key, char *arg, struct argp_state *state, void *data)
{
	struct triage_args *a = data;

	if (key == ARGP_KEY_ARG && state->quoted && state->next > state->quoted) /* after "--": the program */
		a->opts.hunt.argv = vtb_cli_take_program(state);
	else if (key == ARGP_KEY_ARG)
		a->dirs[a->opts.n_dirs++] = arg;
	else if (key == ARGP_KEY_END && !a->opts.n_dirs)
		argp_error(state, "no recording given; use: vtb triage DIR... [-- ./program args]");
	else if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static void read_options(struct triage_args *a, int argc, char **argv)
{
	const struct vtb_cli_command command = {
		"DIR... [-- PROGRAM [ARGS...]]",
		"Judge recorded runs that passed and failed: which orders are met only in failing runs, and does the "
		"failure still happen in PROGRAM (default: the one recorded)?\v"
		"DIR is a directory written by vtb-record, or a trace.json. Exit: 0 fixed, 1 it still fails, 2 usage "
		"or bad input, 3 cannot tell.",
		true,
		&a->cli,
		{ { NULL, rows, a },
		  { "The search:", vtb_search_rows, &a->opts.hunt.search },
		  { "The program:", vtb_runner_rows, &a->opts.hunt.runner } },
		argument,
		a,
	};

	vtb_hunt_opts_init(&a->opts.hunt);
	a->opts.hunt.consent.ask = vtb_cli_ask;
	vtb_cli_parse(&command, argc, argv);
	a->opts.dirs = a->dirs;
	a->opts.hunt.search.seed = a->cli.seed;
	a->opts.hunt.no_files = !a->opts.hunt.out_dir;
}

int main(int argc, char **argv)
{
	struct triage_args a = { 0 };
	struct vtb_report_style style;
	struct vtb_triage triage;
	struct vtb_error err = { 0 };
	struct vtb_progress progress;
	FILE *text;
	int r;

	vtb_cli_init(argv[0]);
	a.dirs = calloc((size_t)argc + 1, sizeof(*a.dirs));
	if (!a.dirs)
		return vtb_cli_fail(-ENOMEM, NULL);
	read_options(&a, argc, argv);
	style = (struct vtb_report_style){ .colored = vtb_cli_colored(&a.cli, stdout),
		                           .width = vtb_progress_width(stdout),
		                           .verbose = a.cli.verbose };
	vtb_progress_begin(&progress, a.cli.quiet || a.cli.json, &a.opts.hunt);
	r = vtb_triage_run(&a.opts, &triage, &err);
	vtb_progress_end(&progress);
	free(a.dirs);
	if (r < 0)
		return vtb_cli_fail(r, &err);
	if (a.cli.json) {
		vtb_triage_report_json(&triage, stdout);
	} else if (!a.cli.quiet) {
		text = vtb_cli_text(stdout);
		vtb_triage_report(&triage, &style, text);
		fclose(text);
	}
	r = vtb_triage_exit_code(&triage);
	vtb_triage_fini(&triage);
	return r;
}
