/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "vtb/cli.h"
#include "vtb/hb.h"
#include "vtb/output.h"

#define ROWS_DEFAULT 20

struct opts {
	struct vtb_cli cli;
	const char *path, *output;
	unsigned sections;
	bool dot, all;
};

static const struct argp_option options[] = {
	{ "profile", 'p', NULL, 0, "Shared variables: who reads and writes them, under which locks", 1 },
	{ "races", 'r', NULL, 0, "Unordered conflicting accesses", 1 },
	{ "locks", 'l', NULL, 0, "The lock order and its circles", 1 },
	{ "dot", 'd', NULL, 0, "The order graph, transitively reduced, as Graphviz text", 1 },
	{ "all", 'a', NULL, 0, "All rows of the tables (default: the first 20 of each)", 2 },
	{ "output", 'o', "FILE", 0, "Write to FILE instead of stdout", 2 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct opts *opts = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &opts->cli;
		return 0;
	case 'p':
		opts->sections |= VTB_HB_PROFILE;
		return 0;
	case 'r':
		opts->sections |= VTB_HB_RACES;
		return 0;
	case 'l':
		opts->sections |= VTB_HB_LOCKS;
		return 0;
	case 'd':
		opts->dot = true;
		return 0;
	case 'a':
		opts->all = true;
		return 0;
	case 'o':
		opts->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (opts->path)
			argp_error(state, "one trace at a time, found also \"%s\"", arg);
		opts->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which trace?");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options,
	parse,
	"TRACE",
	"What a trace (trace.json or failure.json) says about orders, shared variables, races and locks.",
	vtb_cli_children,
	NULL,
	NULL,
};

static void print(const struct vtb_hb *hb, struct vtb_hb_style style, FILE *f)
{
	FILE *text = vtb_cli_text(f);

	vtb_hb_print(hb, style, text);
	fclose(text);
}

static int report(const struct opts *opts, const struct vtb_trace *trace, const struct vtb_hb *hb, FILE *f,
                  struct vtb_error *err)
{
	const struct vtb_hb_style style = { .color = vtb_cli_colored(&opts->cli, f),
		                            .rows = opts->all ? 0 : ROWS_DEFAULT,
		                            .width = vtb_cli_width(f) };

	if (opts->dot)
		return vtb_hb_dot(trace, f, err);
	if (opts->cli.json)
		vtb_hb_json(hb, f);
	else
		print(hb, style, f);
	return 0;
}

int main(int argc, char **argv)
{
	struct opts opts = { 0 };
	struct vtb_error err = { 0 };
	struct vtb_output out = { 0 };
	struct vtb_trace trace;
	struct vtb_hb hb = { 0 };
	int r;

	vtb_cli_init(argv[0]);
	if (vtb_cli_argp_parse(&argp, argc, argv, 0, &opts))
		return VTB_EXIT_USAGE;
	vtb_trace_init(&trace);
	if (opts.dot)
		r = vtb_trace_read(opts.path, &trace, &err);
	else
		r = vtb_hb_read(opts.path, opts.sections ? opts.sections : VTB_HB_ALL, &trace, &hb, &err);
	if (r >= 0)
		r = vtb_output_open(&out, opts.output ? opts.output : "-", &err);
	if (r >= 0)
		r = report(&opts, &trace, &hb, out.file, &err);
	if (r >= 0)
		r = vtb_output_commit(&out, &err);
	vtb_output_abort(&out);
	vtb_hb_fini(&hb);
	vtb_trace_fini(&trace);
	return r < 0 ? vtb_cli_fail(r, &err) : VTB_EXIT_GOOD;
}
