/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt_state_args.h"

#include <stdlib.h>
#include <string.h>

#define MEMBER(name) offsetof(struct hunt_args, name)

static const char *const all_failures[] = { "all", "failures", NULL };

const struct vtb_cli_row vtb_hunt_state_rows[] = {
	{ "keep", "WHAT",
	  "What stays of --state when a hunt has come to its end: all (default), failures: nothing, only failure.json "
	  "and its pictures stay",
	  VTB_CLI_SWITCH, .member = MEMBER(opts.keep_failures), .names = all_failures },
	{ "max-disk", "SIZE",
	  "Write no more than so many bytes in all; K, M or G may follow the number (default: no limit)", VTB_CLI_TEXT,
	  .member = MEMBER(max_disk) },
	{ "state", "DIR",
	  "Keep what was run in DIR, so that this hunt can be resumed, also when it was killed; resume what is "
	  "kept there",
	  VTB_CLI_TEXT, .member = MEMBER(opts.state_dir) },
	{ 0 },
};

/* "500M" */
static void read_size(struct hunt_args *a, struct argp_state *state)
{
	static const char units[] = "KMG";
	const size_t n = strlen(a->max_disk);
	const char *unit = n ? strchr(units, a->max_disk[n - 1]) : NULL;
	const unsigned shift = unit && *unit ? 10 * (unsigned)(unit - units + 1) : 0;
	char number[24] = "";
	uint64_t size = 0;

	if (n < sizeof(number))
		memcpy(number, a->max_disk, n - (shift > 0));
	if (vtb_cli_number(number, 1, UINT64_MAX >> 31, &size) < 0)
		argp_error(state, "--max-disk: \"%s\" is no size; 500M are 500 times 1048576 bytes", a->max_disk);
	a->opts.max_disk = size << shift;
}

void vtb_hunt_check_state(struct hunt_args *a, struct argp_state *state)
{
	if (a->opts.state_dir && (a->per_test || a->suite.ctest))
		argp_error(state, "--state is of one hunt: it does not go with --per-test and --ctest");
	if (a->opts.state_dir && a->opts.verify_fix)
		argp_error(state, "--state does not go with --verify-fix");
	if (a->opts.keep_failures && !a->opts.state_dir)
		argp_error(state, "--keep says what stays of --state: give that");
	if (a->max_disk)
		read_size(a, state);
}

void vtb_hunt_keep_options(struct hunt_args *a, int argc, char **argv)
{
	const ptrdiff_t program = a->opts.argv ? a->opts.argv - (char *const *)argv : 0;
	const ptrdiff_t n =
	    program > 1 && program < argc && !strcmp(argv[program - 1], "--") ? program - 2 : program - 1;

	if (program < 1 || program >= argc)
		return;
	a->options = calloc((size_t)n + 1, sizeof(*a->options));
	for (ptrdiff_t i = 0; a->options && i < n; i++)
		a->options[i] = argv[i + 1];
	a->opts.state_options = a->options;
	a->opts.state_argv = a->opts.argv;
}
