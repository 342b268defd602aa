/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>
#include <stdlib.h>

#include "vtb/argv.h"
#include "vtb/cli_options.h"
#include "vtb/pack.h"

struct pack_args {
	struct vtb_cli cli;
	struct vtb_pack_opts opts;
	bool unpack;
	const char *file;
};

#define MEMBER(name) offsetof(struct pack_args, name)

static const struct vtb_cli_row rows[] = {
	{ "no-program", NULL, "Leave the program out: its path and build-id will have to do", VTB_CLI_FLAG,
	  .member = MEMBER(opts.no_program) },
	{ "output", "PATH",
	  "The bundle (default: failure.vtb.tar); with --unpack a new directory (default: failure.vtb)", VTB_CLI_TEXT,
	  .member = MEMBER(opts.output), .letter = 'o' },
	{ "unpack", NULL, "FILE is a bundle: unpack it, say what differs here, and how to replay it", VTB_CLI_FLAG,
	  .member = MEMBER(unpack) },
	{ 0 },
};

static error_t argument(int key, char *arg, struct argp_state *state, void *data)
{
	struct pack_args *a = data;

	if (key == ARGP_KEY_ARG && !a->file)
		a->file = arg;
	else if (key == ARGP_KEY_ARG)
		argp_error(state, "one FILE at a time");
	else if (key == ARGP_KEY_NO_ARGS)
		argp_error(state, "no FILE given; use: vtb pack failure.json");
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static int pack(struct pack_args *a, struct vtb_error *err)
{
	char *left_out = NULL;
	int r;

	a->opts.failure = a->file;
	a->opts.output = a->opts.output ? a->opts.output : "failure.vtb.tar";
	r = vtb_pack(&a->opts, &left_out, err);
	if (r >= 0 && !a->cli.quiet) {
		FILE *text = vtb_cli_text(stdout);

		fprintf(text, "%s%s\n", left_out, a->opts.output);
		fclose(text);
	}
	free(left_out);
	return r;
}

static int unpack(struct pack_args *a, struct vtb_error *err)
{
	struct vtb_unpacked u;
	FILE *text;
	int r = vtb_unpack(a->file, a->opts.output ? a->opts.output : "failure.vtb", &u, err);

	if (r < 0)
		return r;
	text = vtb_cli_text(stdout);
	for (size_t i = 0; !a->cli.quiet && u.notes[i]; i++)
		fprintf(text, "differs: %s\n", u.notes[i]);
	fputs("vtb replay ", text);
	vtb_argv_put_word(text, u.failure);
	fputs(" --", text);
	for (size_t i = 0; u.argv[i]; i++) {
		fputc(' ', text);
		vtb_argv_put_word(text, u.argv[i]);
	}
	fputc('\n', text);
	fclose(text);
	vtb_unpacked_fini(&u);
	return 0;
}

int main(int argc, char **argv)
{
	struct pack_args a = { 0 };
	struct vtb_error err = { 0 };
	const struct vtb_cli_command command = {
		"FILE",
		"Put all that a replay of a failure.json needs into one file; or unpack such a file.\v"
		"Exit: 0 done, 2 usage or bad input, 3 trouble of vtb's own.",
		false,
		&a.cli,
		{ { NULL, rows, &a } },
		argument,
		&a,
	};
	int r;

	vtb_cli_init(argv[0]);
	vtb_cli_parse(&command, argc, argv);
	r = a.unpack ? unpack(&a, &err) : pack(&a, &err);
	return r < 0 ? vtb_cli_fail(r, &err) : VTB_EXIT_GOOD;
}
