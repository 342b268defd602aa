/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vtb-decode: a recording to a trace with names and source lines. */
#include "vtb/cli.h"
#include "vtb/decode.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SYMFS = 256 };

struct options {
	struct vtb_cli cli;
	struct vtb_decode_opts decode;
};

static const struct argp_option rows[] = {
	{ "output", 'o', "FILE", 0,
	  "Write the trace to FILE (default trace.json; - is standard output); many events go to a file beside it", 0 },
	{ "symfs", KEY_SYMFS, "DIR", 0,
	  "Look for recorded programs and libraries below DIR first, by path, then by name (default: $VTB_SYMFS)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

/* All that reads programs looks there. */
static error_t set_symfs(const struct argp_state *state, const char *dir)
{
	char *real = realpath(dir, NULL);
	error_t e = real && setenv("VTB_SYMFS", real, 1) == 0 ? 0 : errno;

	if (!real)
		argp_error(state, "--symfs=%s: %s", dir, strerror(e));
	free(real);
	return e;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->cli;
		return 0;
	case 'o':
		o->decode.output = arg;
		return 0;
	case KEY_SYMFS:
		return set_symfs(state, arg);
	case ARGP_KEY_ARG:
		if (o->decode.input)
			argp_error(state, "one recording at a time");
		o->decode.input = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->decode.input)
			argp_error(state, "no recording given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		rows,
		parse,
		"RECORDING",
		"Turn a recording into a trace with thread, variable and source names.\vRECORDING is a directory "
		"written by vtb-record, or perf.data; - is standard input. Names come from the program's debug "
		"information; debuginfod is asked only if "
		"DEBUGINFOD_URLS is set.",
		vtb_cli_children,
		NULL,
		NULL
	};
	struct options o = { .decode.output = "trace.json" };
	struct vtb_error err = { 0 };
	struct vtb_decoded decoded;
	FILE *out, *text;
	int r;

	vtb_cli_init(argv[0]);
	vtb_cli_argp_parse(&argp, argc, argv, 0, &o);
	r = vtb_decode_run(&o.decode, &decoded, &err);
	if (r < 0)
		return vtb_cli_fail(r, &err);
	out = strcmp(o.decode.output, "-") == 0 ? stderr : stdout;
	if (o.cli.json) {
		vtb_decode_print_json(&o.decode, &decoded, out);
	} else if (!o.cli.quiet) {
		text = vtb_cli_text(out);
		vtb_decode_print(&o.decode, &decoded, text);
		fclose(text);
	}
	text = vtb_cli_text(stderr);
	vtb_decode_print_modules(&decoded, text);
	fclose(text);
	r = decoded.nameless ? VTB_EXIT_NOTHING : VTB_EXIT_GOOD;
	vtb_trace_fini(&decoded.trace);
	return r;
}
