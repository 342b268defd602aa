/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "vtb/cli.h"
#include "vtb/strategies.h"
#include "vtb/viz.h"

#define KEY_FORMAT 0x1000 /* + number of the format */
#define KEY_STRATEGY 0x2000
#define KEY_RW 0x2001
#define KEY_LIST 0x2002
#define FORMATS_MAX 16

struct opts {
	struct vtb_cli cli; /* first: what the children parse into */
	struct vtb_viz_opts viz;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct opts *opts = state->input;

	if (key >= KEY_FORMAT && key < KEY_FORMAT + FORMATS_MAX) {
		opts->viz.format = (size_t)(key - KEY_FORMAT);
		return 0;
	}
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &opts->cli;
		return 0;
	case 'o':
		opts->viz.output = arg;
		return 0;
	case 'S':
		opts->viz.schedule = vtb_cli_arg_number(state, "schedule", arg, 1, UINT32_MAX) - 1;
		return 0;
	case KEY_STRATEGY:
		opts->viz.tree.strategy = arg;
		return 0;
	case KEY_LIST:
		vtb_strategy_list(stdout);
		exit(VTB_EXIT_GOOD);
	case KEY_RW:
		opts->viz.tree.rw = true;
		return 0;
	case ARGP_KEY_ARG:
		if (opts->viz.path)
			argp_error(state, "one file at a time, found also \"%s\"", arg);
		opts->viz.path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which file? (trace.json, schedules.json or failure.json)");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* As vtb hunt does it; a file is not cut to any terminal's width. */
static struct vtb_report_style style_of(const struct opts *opts)
{
	const bool shown = !opts->viz.output || (opts->viz.output[0] == '-' && !opts->viz.output[1]);
	const unsigned width = shown ? vtb_cli_width(stdout) : 0;

	return (struct vtb_report_style){ .colored = shown && vtb_cli_colored(&opts->cli, stdout),
		                          .width = width ? width : 80,
		                          .whole_tables = !width,
		                          .verbose = opts->cli.verbose };
}

int main(int argc, char **argv)
{
	struct argp_option options[FORMATS_MAX + 6] = { { 0 } };
	const struct argp argp = { options,
		                   parse,
		                   "FILE",
		                   "Draw or report what a file of vtb holds: a trace, a schedule, a failure.",
		                   vtb_cli_children,
		                   NULL,
		                   NULL };
	struct opts opts = { 0 };
	struct vtb_error err = { 0 };
	size_t n = 0;
	int r;

	for (; n < FORMATS_MAX && vtb_viz_format(n); n++)
		options[n] = (struct argp_option){
			vtb_viz_format(n)->name, KEY_FORMAT + (int)n, NULL, 0, vtb_viz_format(n)->help, 1
		};
	options[n++] = (struct argp_option){ "output", 'o', "FILE", 0, "Write to FILE instead of stdout", 2 };
	options[n++] =
	    (struct argp_option){ "schedule", 'S', "N", 0, "Draw schedule N of a schedules.json (default 1)", 2 };
	options[n++] = (struct argp_option){ "strategy",
		                             KEY_STRATEGY,
		                             "NAME",
		                             0,
		                             "With --tree: the orders that this strategy tries (default exitblock)",
		                             2 };
	options[n++] =
	    (struct argp_option){ "list-strategies", KEY_LIST, NULL, 0, "Print the strategies and leave", 2 };
	options[n] = (struct argp_option){
		"rw", KEY_RW, NULL, 0, "With --tree: without orders that reads and writes tell to be equal", 2
	};
	vtb_cli_init(argv[0]);
	if (vtb_cli_argp_parse(&argp, argc, argv, 0, &opts))
		return VTB_EXIT_USAGE;
	opts.viz.style = style_of(&opts);
	r = vtb_viz_run(&opts.viz, &err);
	if (r > 0)
		fprintf(stderr, "vtb-viz: %s: %s\n", opts.viz.path, err.text);
	return r < 0 ? vtb_cli_fail(r, &err) : r > 0 ? VTB_EXIT_NOTHING : VTB_EXIT_GOOD;
}
