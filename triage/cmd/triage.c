/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "vtb/cli.h"
#include "vtb/triage.h"

struct triage_args {
	struct vtb_cli cli;
	struct vtb_triage_opts opts;
	const char **dirs; /* room for all arguments */
};

enum { OPT_TIME = 256, OPT_CANDIDATES, OPT_ENGINE, OPT_CARRIER, OPT_TIER };

static const struct argp_option options[] = {
	{"time", OPT_TIME, "SECONDS", 0, "Search at most this long (default 60)", 0},
	{"candidates", OPT_CANDIDATES, "N", 0, "Schedules from the failing recording to try first (default 20)", 0},
	{"output", 'o', "DIR", 0, "Write failure.json, order.svg and order.dot there (default: nothing is written)", 0},
	{"tier", OPT_TIER, "NAME", 0, "How accesses are seen: auto, pads, tsan, sync", 0},
	{"engine", OPT_ENGINE, "NAME", 0, "How runs are repeated: auto, snapshot, forkserver, exec", 0},
	{"carrier", OPT_CARRIER, "NAME", 0, "What carries the threads: auto, fibers, threads", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct triage_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->cli;
		return 0;
	case OPT_TIME:
		a->opts.hunt.time_s = (double)vtb_cli_arg_number(state, "--time", arg, 1, 1000000000);
		return 0;
	case OPT_CANDIDATES:
		a->opts.candidates = vtb_cli_arg_number(state, "--candidates", arg, 1, 100000);
		return 0;
	case 'o':
		a->opts.hunt.out_dir = arg;
		return 0;
	case OPT_TIER:
		a->opts.hunt.tier = arg;
		return 0;
	case OPT_ENGINE:
		a->opts.hunt.engine = arg;
		return 0;
	case OPT_CARRIER:
		a->opts.hunt.carrier = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (state->quoted && state->next > state->quoted) { /* after "--": the program */
			a->opts.hunt.argv = &state->argv[state->next - 1];
			state->next = state->argc;
			return 0;
		}
		a->dirs[a->opts.n_dirs++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->opts.n_dirs)
			argp_error(state, "no recording given; use: vtb triage DIR... [-- ./program args]");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse, "DIR... [-- PROGRAM [ARGS...]]",
	"Judge recorded runs that passed and failed: which orders are met only in failing runs, and does the failure still happen in PROGRAM (default: the one recorded)?\v"
	"DIR is a directory written by vtb-record, or a trace.json. Exit: 0 fixed, 1 it still fails, 2 usage or bad input, 3 cannot tell.",
	vtb_cli_children, NULL, NULL};

int main(int argc, char **argv)
{
	struct triage_args a = {.opts = {.hunt = {.c = VTB_HUNT_DEFAULT, .v = VTB_HUNT_DEFAULT, .t = VTB_HUNT_DEFAULT, .l = VTB_HUNT_DEFAULT}}};
	struct vtb_report_style style;
	struct vtb_triage triage;
	struct vtb_error err = {0};
	struct vtb_progress progress;
	int r;

	vtb_cli_init(argv[0]);
	a.dirs = calloc((size_t)argc + 1, sizeof(*a.dirs));
	if (!a.dirs)
		return vtb_cli_fail(-ENOMEM, NULL);
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &a);
	a.opts.dirs = a.dirs;
	a.opts.hunt.seed = a.cli.seed;
	a.opts.hunt.no_files = !a.opts.hunt.out_dir;
	style = (struct vtb_report_style){.colored = vtb_cli_colored(&a.cli, stdout), .width = vtb_progress_width(stdout), .verbose = a.cli.verbose};
	vtb_progress_begin(&progress, a.cli.quiet || a.cli.json, &a.opts.hunt);
	r = vtb_triage_run(&a.opts, &triage, &err);
	vtb_progress_end(&progress);
	free(a.dirs);
	if (r < 0)
		return vtb_cli_fail(r, &err);
	if (a.cli.json)
		vtb_triage_report_json(&triage, stdout);
	else if (!a.cli.quiet)
		vtb_triage_report(&triage, &style, stdout);
	r = vtb_triage_exit_code(&triage);
	vtb_triage_fini(&triage);
	return r;
}
