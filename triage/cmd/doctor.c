/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress.h"
#include "vtb/cli.h"
#include "vtb/doctor.h"

struct doctor_args {
	struct vtb_cli cli;
	const char *program;
	bool primitives;
};

enum { OPT_PRIMITIVES = 256 };

static const struct argp_option options[] = {
	{ "primitives", OPT_PRIMITIVES, NULL, 0, "List the synchronisation primitives and how each is modelled", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct doctor_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->cli;
		return 0;
	case OPT_PRIMITIVES:
		a->primitives = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->program)
			argp_error(state, "one program only");
		a->program = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options,
	parse,
	"[PROGRAM]",
	"Say what this machine and PROGRAM allow, and which tier, carrier and engine a hunt would use, and why.\v"
	"PROGRAM is started up to its main function, not into it. Exit: 0 a hunt would work, 2 there is no such "
	"program, 3 a hunt would prove nothing.",
	vtb_cli_children,
	NULL,
	NULL
};

static int show_primitives(const struct doctor_args *a, const struct vtb_report_style *style)
{
	FILE *text;

	if (!vtb_doctor_primitive_count()) {
		vtb_cli_error("this build has no table of primitives");
		return VTB_EXIT_NOTHING;
	}
	if (a->cli.json) {
		vtb_doctor_primitives_json(stdout);
	} else {
		text = vtb_cli_text(stdout);
		vtb_doctor_primitives(style, text);
		fclose(text);
	}
	return VTB_EXIT_GOOD;
}

int main(int argc, char **argv)
{
	struct doctor_args a = { 0 };
	struct vtb_report_style style;
	struct vtb_doctor doctor;
	struct vtb_error err = { 0 };
	FILE *text;
	int r;

	vtb_cli_init(argv[0]);
	vtb_cli_argp_parse(&argp, argc, argv, 0, &a);
	style = (struct vtb_report_style){ .colored = vtb_cli_colored(&a.cli, stdout),
		                           .width = vtb_progress_width(stdout),
		                           .verbose = a.cli.verbose };
	if (a.primitives)
		return show_primitives(&a, &style);
	r = vtb_doctor_run(a.program, &doctor, &err);
	if (r < 0)
		return vtb_cli_fail(r, &err);
	if (a.cli.json) {
		vtb_doctor_report_json(&doctor, stdout);
	} else if (!a.cli.quiet) {
		text = vtb_cli_text(stdout);
		vtb_doctor_report(&doctor, &style, text);
		fclose(text);
	}
	r = vtb_doctor_exit_code(&doctor);
	vtb_doctor_fini(&doctor);
	return r;
}
