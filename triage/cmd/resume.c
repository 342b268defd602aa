/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/cli_options.h"
#include "vtb/resume.h"

struct resume_args {
	struct vtb_cli cli;
	struct vtb_resume_opts opts;
};

#define MEMBER(name) offsetof(struct resume_args, name)

static const struct vtb_cli_row rows[] = {
	{ "run", NULL, "Run the command that is named there without asking, whoever wrote it", VTB_CLI_FLAG,
	  .member = MEMBER(opts.consent.given) },
	{ "time", "SECONDS", "What the hunt has in all, with what it has taken so far (default: what it had before)",
	  VTB_CLI_REAL, .member = MEMBER(opts.seconds), .real_most = 1e9 },
	{ 0 },
};

static error_t argument(int key, char *arg, struct argp_state *state, void *data)
{
	struct resume_args *a = data;

	if (key == ARGP_KEY_ARG && !a->opts.dir)
		a->opts.dir = arg;
	else if (key == ARGP_KEY_ARG)
		argp_error(state, "one DIR at a time");
	else if (key == ARGP_KEY_NO_ARGS)
		argp_error(state, "no DIR given; use: vtb resume DIR, after vtb hunt --state=DIR");
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

int main(int argc, char **argv)
{
	struct resume_args a = { 0 };
	struct vtb_error err = { 0 };
	const struct vtb_cli_command command = {
		"DIR",
		"Go on with a hunt that was begun with --state=DIR and was interrupted, killed, or had no time left.\v"
		"Exit: as vtb hunt.",
		false,
		&a.cli,
		{ { NULL, rows, &a } },
		argument,
		&a,
	};

	vtb_cli_init(argv[0]);
	a.opts.consent.ask = vtb_cli_ask;
	vtb_cli_parse(&command, argc, argv);
	a.opts.quiet = a.cli.quiet;
	a.opts.json = a.cli.json;
	a.opts.verbose = a.cli.verbose;
	a.opts.color = a.cli.color;
	return vtb_cli_fail(vtb_resume(&a.opts, &err), &err);
}
