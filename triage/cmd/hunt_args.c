/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt_args.h"

#include <string.h>

#include "ci_env.h"
#include "hunt_items_args.h"
#include "hunt_state_args.h"
#include "vtb/search_options.h"

#define MEMBER(name) offsetof(struct hunt_args, name)

static const char *const auto_off_on[] = { "auto", "off", "on", NULL }; /* enum vtb_search_selective */

static const struct vtb_cli_row rows[] = {
	{ "baseline", "FILE", "Go past the failures that FILE lists; the exit code counts only others", VTB_CLI_TEXT,
	  .member = MEMBER(baseline_path) },
	{ "cluster", "URL",
	  "Search on the workers of this scheduler of Dask, tcp://HOST:PORT: in work items, see vtb-run-item(1)",
	  VTB_CLI_TEXT, .member = MEMBER(items.cluster) },
	{ "confirm", "N", "Replay a failing schedule N times before it counts (default 3)", VTB_CLI_U32,
	  .member = MEMBER(opts.confirm), .least = 1, .most = 1000 },
	{ "ctest", "DIR", "Hunt each test of this build directory by itself, as --per-test does", VTB_CLI_TEXT,
	  .member = MEMBER(suite.ctest) },
	{ "item-results", "FILE", "With --cluster or --items: write each item's result there, a line each",
	  VTB_CLI_TEXT, .member = MEMBER(items.results) },
	{ "items", "FILE", "Search by the work items that FILE lists and no others, here or on a cluster", VTB_CLI_TEXT,
	  .member = MEMBER(items.list) },
	{ "junit", "FILE", "Write JUnit XML there, with --per-test or --ctest of all tests", VTB_CLI_TEXT,
	  .member = MEMBER(suite.junit) },
	{ "keep-going", NULL, "Do not stop at the first failure: look for different ones", VTB_CLI_FLAG,
	  .member = MEMBER(opts.keep_going) },
	{ "max-memory", "MB", "End when vtb itself holds so much memory (default: half of what is free)", VTB_CLI_U32,
	  .member = MEMBER(opts.memory_mb), .least = 1, .most = 1u << 30 },
	{ "no-canary", NULL, "Skip the check of the machinery on a planted race", VTB_CLI_FLAG,
	  .member = MEMBER(opts.no_canary) },
	{ "output", "DIR", "Write failure.json, order.svg and order.dot there (default: here)", VTB_CLI_TEXT,
	  .member = MEMBER(opts.out_dir), .letter = 'o' },
	{ "per-test", NULL,
	  "PROGRAM is a test program (googletest, Catch2, doctest, Boost.Test, cmocka, Check) or a build directory of "
	  "ctest or meson: hunt each of its tests by itself; --time is for all of them",
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
	{ "shard", "I/N", "With --per-test or --ctest: of N parts of the tests, only part I, from 1", VTB_CLI_TEXT,
	  .member = MEMBER(shard) },
	{ "tests-regex", "REGEX", "With --per-test or --ctest: only tests whose name matches", VTB_CLI_TEXT,
	  .member = MEMBER(suite.names), .letter = 'R' },
	{ "verify-fix", "FILE", "Does the failure of this failure.json still happen? Replay it, then hunt around it",
	  VTB_CLI_TEXT, .member = MEMBER(opts.verify_fix) },
	{ 0 },
};

/* "2/5" */
static void read_shard(struct hunt_args *a, struct argp_state *state)
{
	const char *slash = strchr(a->shard, '/');
	char part[24] = "";
	uint64_t i = 0, n = 0;

	if (slash && slash - a->shard < (ptrdiff_t)sizeof(part))
		memcpy(part, a->shard, (size_t)(slash - a->shard));
	if (!slash || vtb_cli_number(slash + 1, 1, UINT32_MAX, &n) < 0 || vtb_cli_number(part, 1, n, &i) < 0)
		argp_error(state, "--shard: \"%s\" is none; 2/5 is the second of five parts", a->shard);
	a->suite.shard = (struct vtb_test_shard){ .index = (uint32_t)i - 1, .n = (uint32_t)n };
}

static void check_together(struct hunt_args *a, struct argp_state *state)
{
	if (a->suite.ctest && a->opts.argv)
		argp_error(state, "--ctest takes no PROGRAM: its build directory names them");
	if (!a->per_test && !a->suite.ctest && a->suite.names)
		argp_error(state, "--tests-regex goes with --per-test or --ctest");
	if (!a->per_test && !a->suite.ctest && a->shard)
		argp_error(state, "--shard goes with --per-test or --ctest");
	if (a->shard)
		read_shard(a, state);
	vtb_hunt_check_state(a, state);
	vtb_hunt_check_items(a, state);
	if ((a->per_test || a->suite.ctest) && a->opts.verify_fix)
		argp_error(state, "--verify-fix is about one test: give its PROGRAM and arguments");
}

static error_t argument(int key, char *arg, struct argp_state *state, void *data)
{
	struct hunt_args *a = data;

	(void)arg;
	if (key == ARGP_KEY_ARG) /* the program: what follows is its own */
		a->opts.argv = vtb_cli_take_program(state);
	else if (key == ARGP_KEY_END)
		check_together(a, state);
	else if (key != ARGP_KEY_NO_ARGS)
		return ARGP_ERR_UNKNOWN;
	else if (!a->opts.verify_fix && !a->suite.ctest)
		argp_error(state, "no program given; use: vtb hunt [options] -- ./program args");
	return 0;
}

void vtb_hunt_read_args(struct hunt_args *a, int argc, char **argv)
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
		  { "What is written:", vtb_hunt_state_rows, a },
		  { "The search:", vtb_search_rows, &a->opts.search },
		  { "The program:", vtb_runner_rows, &a->opts.runner } },
		argument,
		a,
	};

	vtb_cli_init(argv[0]);
	vtb_hunt_opts_init(&a->opts);
	a->opts.consent.ask = vtb_cli_ask;
	vtb_cli_parse(&command, argc, argv);
	vtb_hunt_keep_options(a, argc, argv);
	a->opts.search.seed = a->cli.seed;
	a->opts.out_dir = a->opts.out_dir ? a->opts.out_dir : vtb_ci_env_output();
	a->suite.junit = a->suite.junit ? a->suite.junit : vtb_ci_env_junit();
	if (a->opts.argv && !a->per_test && !a->opts.verify_fix)
		a->pinned = vtb_ci_env_pin(a->opts.argv);
	a->opts.argv = a->pinned ? a->pinned : a->opts.argv;
}
