/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "per_test.h"
#include "progress.h"
#include "vtb/cli.h"
#include "vtb/hunt_report.h"
#include "vtb/output.h"
#include "vtb/strategies.h"

struct hunt_args {
	struct vtb_cli cli;
	struct vtb_hunt_opts opts;
	bool per_test;
};

enum { OPT_TIME = 256, OPT_TIMEOUT, OPT_BUDGET, OPT_C, OPT_V, OPT_T, OPT_L, OPT_STRATEGY, OPT_ENGINE, OPT_CARRIER, OPT_DIRTY, OPT_TIER, OPT_JOBS, OPT_KEEP_GOING, OPT_OUTPUT, OPT_FAIL_IF, OPT_VERIFY, OPT_NO_CANARY, OPT_CONFIRM, OPT_FOCUS_VAR, OPT_PROFILE, OPT_PRIORITY, OPT_RW, OPT_TRUSTED, OPT_SYMMETRY, OPT_VARIABLES, OPT_PER_TEST, OPT_REAL_TIME, OPT_EQUIVALENCE, OPT_SELECTIVE, OPT_MATCH_STATES, OPT_FOLLOW, OPT_KEEP_FILES, OPT_EPSILON, OPT_EXHAUST, OPT_FOCUS_FUNCTION, OPT_LIST_STRATEGIES, OPT_LIST_PRIORITIES };

static const struct argp_option options[] = {
	{"time", OPT_TIME, "SECONDS", 0, "Search at most this long (default 60)", 1},
	{"timeout", OPT_TIMEOUT, "SECONDS", 0, "Stop a run that takes longer (default 10, or 20 times what the program takes by itself and 10 more)", 1},
	{"budget", OPT_BUDGET, "N", 0, "Search at most N schedules", 1},
	{"focus-var", OPT_FOCUS_VAR, "NAME", 0, "Look only after operations on this variable and its parts; tier watch: watch it", 2},
	{"focus-function", OPT_FOCUS_FUNCTION, "NAME", 0, "Look only in this function", 2},
	{"epsilon", OPT_EPSILON, "P", 0, "Accept to miss an order of threads with probability P (default 0.01)", 1},
	{"exhaust", OPT_EXHAUST, NULL, 0, "Prune nothing, and go on where a search would stop", 1},
	{"keep-going", OPT_KEEP_GOING, NULL, 0, "Do not stop at the first failure: look for different ones", 1},
	{"per-test", OPT_PER_TEST, NULL, 0, "PROGRAM is a test program (googletest, Catch2, cmocka) or a build directory of ctest: hunt each of its tests by itself; --time is for all of them", 1},
	{"strategy", OPT_STRATEGY, "NAME", 0, "How to search; see --list-strategies (default portfolio)", 1},
	{"priority", OPT_PRIORITY, "NAMES", 0, "Strategy bestfirst: which schedules go first, names joined by commas; see --list-priorities", 1},
	{"list-strategies", OPT_LIST_STRATEGIES, NULL, 0, "Print the strategies and leave", 1},
	{"list-priorities", OPT_LIST_PRIORITIES, NULL, 0, "Print the priorities and leave", 1},
	{"equivalence", OPT_EQUIVALENCE, "NAME", 0, "Strategy dpor: which runs are one class: order (default), reads-from", 1},
	{"match-states", OPT_MATCH_STATES, NULL, 0, "Go on from a state of the program only once; strategies dfs (then the default) and exitblock, engine snapshot; without --c and --v there is no bound", 1},
	{"rw", OPT_RW, NULL, 0, "Strategy exitblock: leave out orders of blocks that reads and writes tell to be equal", 1},
	{"trusted", OPT_TRUSTED, "FUNCTIONS", 0, "Strategy exitblock: no block ends in these functions, joined by commas", 1},
	{"selective", OPT_SELECTIVE, "WHEN", 0, "Leave accesses to variables at which a schedule does not deviate out of its run: auto (default: where it pays), on, off", 1},
	{"variables", OPT_VARIABLES, "HOW", 0, "How cvt chooses the variables: static (default), sets of them in turn; dynamic, by the first preemptions", 2},
	{"symmetry", OPT_SYMMETRY, "WHEN", 0, "Let threads that look alike stand for each other in the search of cvt: on (default) or off", 1},
	{"c", OPT_C, "N", 0, "At most N preemptions and other deviations (default 2)", 2},
	{"v", OPT_V, "N", 0, "At most N different variables at which they take place (default 2)", 2},
	{"t", OPT_T, "N", 0, "Orders of at most N threads (default 2)", 2},
	{"l", OPT_L, "N", 0, "Heap objects of at most the Nth loop iteration (default 0)", 2},
	{"keep-files", OPT_KEEP_FILES, NULL, 0, "Do not undo what a run changes in the file system; the next one meets it", 4},
	{"real-time", OPT_REAL_TIME, NULL, 0, "Clocks and sleeps are the system's; without it, time is virtual and a sleep takes none", 4},
	{"expect-output", OPT_OUTPUT, "FILE", 0, "Any other output of the program is a failure", 3},
	{"fail-if", OPT_FAIL_IF, "RULE", 0, "Which exit statuses are failures: exit!=N (default exit!=0), exit=N,M, never", 3},
	{"verify-fix", OPT_VERIFY, "FILE", 0, "Does the failure of this failure.json still happen? Replay it, then hunt around it", 3},
	{"output", 'o', "DIR", 0, "Write failure.json, order.svg and order.dot there (default: here)", 3},
	{"confirm", OPT_CONFIRM, "N", 0, "Replay a failing schedule N times before it counts (default 3)", 3},
	{"tier", OPT_TIER, "NAME", 0, "How accesses are seen: auto, pads, tsan, watch, sync", 4},
	{"profile", OPT_PROFILE, "DIR", 0, "Tier watch: choose the variables from this recording of vtb-record --backend=qemu", 4},
	{"engine", OPT_ENGINE, "NAME", 0, "How runs are repeated: auto, snapshot, forkserver, exec", 4},
	{"carrier", OPT_CARRIER, "NAME", 0, "What carries the threads: auto, fibers, threads", 4},
	{"dirty", OPT_DIRTY, "NAME", 0, "How engine snapshot finds changed pages: auto, scan, copy, mprotect", 4},
	{"follow-children", OPT_FOLLOW, "N", OPTION_ARG_OPTIONAL, "Control goes with the child of the program's Nth fork (default 1)", 4},
	{"jobs", OPT_JOBS, "N", 0, "Processes that run schedules (default: one a processor on engine snapshot, else 1)", 4},
	{"no-canary", OPT_NO_CANARY, NULL, 0, "Skip the check of the machinery on a planted race", 4},
	{0},
};

static const char *const off_on[] = {"off", "on", NULL}, *const static_dynamic[] = {"static", "dynamic", NULL};
static const char *const auto_off_on[] = {"auto", "off", "on", NULL}; /* enum vtb_search_selective */

static double seconds(const struct argp_state *state, const char *text)
{
	char *end;
	const double n = strtod(text, &end);

	if (end == text || *end || !(n > 0 && n <= 1e9))
		argp_error(state, "--time: \"%s\" is not a number of seconds", text);
	return n;
}

static double probability(const struct argp_state *state, const char *text)
{
	char *end;
	const double p = strtod(text, &end);

	if (end == text || *end || !(p > 0 && p <= 0.999))
		argp_error(state, "--epsilon: \"%s\" is not a number above 0 and at most 0.999", text);
	return p;
}

static void list(void (*print)(FILE *out))
{
	print(stdout);
	exit(VTB_EXIT_GOOD);
}

static uint32_t bound(const struct argp_state *state, const char *option, const char *text)
{
	return (uint32_t)vtb_cli_arg_number(state, option, text, 0, 255);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct hunt_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->cli;
		return 0;
	case OPT_TIME:
		a->opts.time_s = seconds(state, arg);
		return 0;
	case OPT_TIMEOUT:
		a->opts.timeout_s = (uint32_t)vtb_cli_arg_number(state, "--timeout", arg, 1, 1000000);
		return 0;
	case OPT_BUDGET:
		a->opts.budget = vtb_cli_arg_number(state, "--budget", arg, 1, UINT64_MAX);
		return 0;
	case OPT_C:
		a->opts.c = bound(state, "--c", arg);
		return 0;
	case OPT_V:
		a->opts.v = bound(state, "--v", arg);
		return 0;
	case OPT_T:
		a->opts.t = bound(state, "--t", arg);
		return 0;
	case OPT_L:
		a->opts.l = bound(state, "--l", arg);
		return 0;
	case OPT_STRATEGY:
		a->opts.strategy = arg;
		return 0;
	case OPT_PER_TEST:
		a->per_test = true;
		return 0;
	case OPT_KEEP_GOING:
		a->opts.keep_going = true;
		return 0;
	case OPT_OUTPUT:
		a->opts.expect_output = arg;
		return 0;
	case OPT_FAIL_IF:
		a->opts.fail_if = arg;
		return 0;
	case OPT_VERIFY:
		a->opts.verify_fix = arg;
		return 0;
	case 'o':
		a->opts.out_dir = arg;
		return 0;
	case OPT_CONFIRM:
		a->opts.confirm = (uint32_t)vtb_cli_arg_number(state, "--confirm", arg, 1, 1000);
		return 0;
	case OPT_TIER:
		a->opts.tier = arg;
		return 0;
	case OPT_FOCUS_VAR:
		a->opts.focus_var = arg;
		return 0;
	case OPT_FOCUS_FUNCTION:
		a->opts.focus_function = arg;
		return 0;
	case OPT_EPSILON:
		a->opts.epsilon = probability(state, arg);
		return 0;
	case OPT_EXHAUST:
		a->opts.exhaust = true;
		return 0;
	case OPT_LIST_STRATEGIES:
		list(vtb_strategy_list);
		return 0;
	case OPT_LIST_PRIORITIES:
		list(vtb_priority_list);
		return 0;
	case OPT_PRIORITY:
		a->opts.priority = arg;
		return 0;
	case OPT_EQUIVALENCE:
		if (strcmp(arg, "order") && strcmp(arg, "reads-from"))
			argp_error(state, "--equivalence: \"%s\" is neither order nor reads-from", arg);
		a->opts.reads_from = !strcmp(arg, "reads-from");
		return 0;
	case OPT_MATCH_STATES:
		a->opts.match_states = true;
		return 0;
	case OPT_RW:
		a->opts.rw = true;
		return 0;
	case OPT_TRUSTED:
		a->opts.trusted = arg;
		return 0;
	case OPT_SELECTIVE:
		a->opts.selective = (enum vtb_search_selective)vtb_cli_arg_choice(state, "--selective", arg, auto_off_on);
		return 0;
	case OPT_SYMMETRY:
		a->opts.no_symmetry = vtb_cli_arg_choice(state, "--symmetry", arg, off_on) == 0;
		return 0;
	case OPT_VARIABLES:
		a->opts.dynamic = vtb_cli_arg_choice(state, "--variables", arg, static_dynamic) == 1;
		return 0;
	case OPT_PROFILE:
		a->opts.profile = arg;
		return 0;
	case OPT_ENGINE:
		a->opts.engine = arg;
		return 0;
	case OPT_CARRIER:
		a->opts.carrier = arg;
		return 0;
	case OPT_DIRTY:
		a->opts.dirty = arg;
		return 0;
	case OPT_JOBS:
		a->opts.jobs = (uint32_t)vtb_cli_arg_number(state, "--jobs", arg, 1, 1024);
		return 0;
	case OPT_KEEP_FILES:
		a->opts.keep_files = true;
		return 0;
	case OPT_REAL_TIME:
		a->opts.real_time = true;
		return 0;
	case OPT_FOLLOW:
		a->opts.follow = arg ? (uint32_t)vtb_cli_arg_number(state, "--follow-children", arg, 1, UINT32_MAX) : 1;
		return 0;
	case OPT_NO_CANARY:
		a->opts.no_canary = true;
		return 0;
	case ARGP_KEY_ARG: /* the program: what follows is its own */
		a->opts.argv = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (!a->opts.verify_fix)
			argp_error(state, "no program given; use: vtb hunt [options] -- ./program args");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse, "[--] PROGRAM [ARGS...]",
	"Run PROGRAM under one thread schedule after another until it fails; then shrink that schedule, confirm it, explain it and write failure.json and order.svg.\v"
	"Exit: 0 nothing found within the printed bound, 1 a bug, 2 usage or bad input, 3 the run proves nothing. "
	"Ctrl-C ends the search and reports; a second one aborts.",
	vtb_cli_children, NULL, NULL};

static int show(const struct hunt_args *a, const struct vtb_hunt_result *result)
{
	const struct vtb_report_style style = {.colored = vtb_cli_colored(&a->cli, stdout), .width = vtb_progress_width(stdout), .verbose = a->cli.verbose};

	if (a->cli.json)
		vtb_hunt_report_json(result, stdout);
	else if (a->cli.quiet)
		vtb_hunt_report_short(result, stdout);
	else
		vtb_hunt_report(result, &style, stdout);
	return vtb_hunt_exit_code(result);
}

int main(int argc, char **argv)
{
	struct hunt_args a = {.opts = {.c = VTB_HUNT_DEFAULT, .v = VTB_HUNT_DEFAULT, .t = VTB_HUNT_DEFAULT, .l = VTB_HUNT_DEFAULT}};
	struct vtb_hunt_result result;
	struct vtb_error err = {0};
	struct vtb_progress progress;
	int r;

	vtb_cli_init(argv[0]);
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &a);
	a.opts.seed = a.cli.seed;
	vtb_progress_begin(&progress, a.cli.quiet || a.cli.json, &a.opts);
	if (a.per_test && a.opts.argv) {
		r = vtb_per_test(&a.cli, &a.opts);
		vtb_progress_end(&progress);
		return r;
	}
	r = vtb_hunt_run(&a.opts, &result, &err);
	vtb_progress_end(&progress);
	if (r < 0)
		return vtb_cli_fail(r, &err);
	r = show(&a, &result);
	vtb_hunt_result_fini(&result);
	return r;
}
