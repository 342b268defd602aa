/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vtb-synth: a trace to schedules worth trying, best first. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/cli.h"
#include "vtb/strategies.h"
#include "vtb/synth.h"

struct options {
	struct vtb_cli cli;
	struct vtb_synth_opts synth;
	const char *input, *output;
};

enum { OPT_C = 256, OPT_V, OPT_T, OPT_L, OPT_STRATEGY, OPT_FOCUS_VAR, OPT_FOCUS_FUNCTION, OPT_BUDGET, OPT_TIME, OPT_EXHAUST, OPT_EPSILON, OPT_TOP, OPT_LIST, OPT_PRIORITY, OPT_LIST_PRIORITIES, OPT_RW, OPT_TRUSTED, OPT_SYMMETRY, OPT_VARIABLES, OPT_EQUIVALENCE, OPT_MATCH_STATES };

static const struct argp_option rows[] = {
	{ "output", 'o', "FILE", 0, "Write the schedules to FILE (default schedules.json; - is standard output)", 0 },
	{ "top", OPT_TOP, "N", 0, "Keep the N best candidates (default 1000)", 0 },
	{ NULL, 0, NULL, 0, "Bounds:", 1 },
	{ "c", OPT_C, "N", 0, "At most N preemptions (default 2)", 0 },
	{ "v", OPT_V, "N", 0, "Preempt at no more than N different variables (default 2)", 0 },
	{ "t", OPT_T, "N", 0, "Orders of at most N threads (default 2)", 0 },
	{ "l", OPT_L, "N", 0, "Preempt at heap blocks of the first N+1 allocations of their kind (default 0: the first)", 0 },
	{ "focus-var", OPT_FOCUS_VAR, "NAME", 0, "Preempt only after operations on this variable or its parts", 0 },
	{ "focus-function", OPT_FOCUS_FUNCTION, "NAME", 0, "Preempt only in this function", 0 },
	{ NULL, 0, NULL, 0, "Search:", 2 },
	{ "strategy", OPT_STRATEGY, "NAME", 0, "How to search (default cvt; see --list-strategies)", 0 },
	{ "budget", OPT_BUDGET, "N", 0, "Simulate at most N schedules (default 100000, fewer for a long trace)", 0 },
	{ "time", OPT_TIME, "SECONDS", 0, "Stop after SECONDS (default: no limit)", 0 },
	{ "epsilon", OPT_EPSILON, "P", 0, "Accept to miss an order of threads with probability P (default 0.01)", 0 },
	{ "exhaust", OPT_EXHAUST, NULL, 0, "Prune nothing and repeat classes", 0 },
	{ "priority", OPT_PRIORITY, "NAMES", 0, "Strategy bestfirst: which schedules go first, names joined by commas (see --list-priorities)", 0 },
	{ "equivalence", OPT_EQUIVALENCE, "NAME", 0, "Strategy dpor: which runs are one class: order (default), reads-from", 0 },
	{ "match-states", OPT_MATCH_STATES, NULL, 0, "Refused: a trace does not tell the states of the program (see vtb hunt)", 0 },
	{ "rw", OPT_RW, NULL, 0, "Strategy exitblock: leave out orders of blocks that reads and writes tell to be equal", 0 },
	{ "trusted", OPT_TRUSTED, "FUNCTIONS", 0, "Strategy exitblock: no block ends in these functions, joined by commas", 0 },
	{ "variables", OPT_VARIABLES, "HOW", 0, "How cvt chooses the variables: static (default), sets of them in turn; dynamic, by the first preemptions", 0 },
	{ "symmetry", OPT_SYMMETRY, "WHEN", 0, "Let threads that look alike stand for each other in the search of cvt: on (default) or off", 0 },
	{ "list-priorities", OPT_LIST_PRIORITIES, NULL, 0, "Print the priorities and leave", 0 },
	{ "list-strategies", OPT_LIST, NULL, 0, "Print the strategies and leave", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const char *const off_on[] = { "off", "on", NULL }, *const static_dynamic[] = { "static", "dynamic", NULL };

static void list(void (*print)(FILE *out))
{
	print(stdout);
	exit(VTB_EXIT_GOOD);
}

static double real_number(const struct argp_state *state, const char *option, const char *text, double max)
{
	char *end;
	const double x = strtod(text, &end);

	if (end == text || *end || !(x > 0) || !(x <= max))
		argp_error(state, "--%s: \"%s\" is not a number above 0 and at most %g", option, text, max);
	return x;
}

static error_t parse_search(int key, char *arg, struct argp_state *state, struct vtb_search_opts *s)
{
	switch (key) {
	case OPT_C:
		s->c = (uint32_t)vtb_cli_arg_number(state, "--c", arg, 0, VTB_SEARCH_C_MAX);
		return 0;
	case OPT_V:
		s->v = (uint32_t)vtb_cli_arg_number(state, "--v", arg, 0, VTB_SEARCH_C_MAX);
		return 0;
	case OPT_T:
		s->t = (uint32_t)vtb_cli_arg_number(state, "--t", arg, 2, VTB_THREADS_LIMIT);
		return 0;
	case OPT_L:
		s->l = (uint32_t)vtb_cli_arg_number(state, "--l", arg, 0, 15);
		return 0;
	case OPT_FOCUS_VAR:
		s->focus_var = arg;
		return 0;
	case OPT_FOCUS_FUNCTION:
		s->focus_function = arg;
		return 0;
	case OPT_STRATEGY:
		s->strategy = arg;
		return 0;
	case OPT_PRIORITY:
		s->priority = arg;
		return 0;
	case OPT_EQUIVALENCE:
		if (strcmp(arg, "order") && strcmp(arg, "reads-from"))
			argp_error(state, "--equivalence: \"%s\" is neither order nor reads-from", arg);
		s->reads_from = !strcmp(arg, "reads-from");
		return 0;
	case OPT_MATCH_STATES:
		argp_error(state, "--match-states: a recorded trace does not tell what memory holds after other orders, so two states cannot be compared; vtb hunt --match-states runs the program");
		return 0;
	case OPT_RW:
		s->rw = true;
		return 0;
	case OPT_TRUSTED:
		s->trusted = arg;
		return 0;
	case OPT_SYMMETRY:
		s->symmetry = vtb_cli_arg_choice(state, "--symmetry", arg, off_on) == 1;
		return 0;
	case OPT_VARIABLES:
		s->dynamic = vtb_cli_arg_choice(state, "--variables", arg, static_dynamic) == 1;
		return 0;
	case OPT_BUDGET:
		s->budget = vtb_cli_arg_number(state, "--budget", arg, 1, UINT64_MAX);
		return 0;
	case OPT_TIME:
		s->seconds = real_number(state, "time", arg, 1e9);
		return 0;
	case OPT_EPSILON:
		s->epsilon = real_number(state, "epsilon", arg, 0.999);
		return 0;
	case OPT_EXHAUST:
		s->exhaust = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->cli;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPT_TOP:
		o->synth.top = vtb_cli_arg_number(state, "--top", arg, 1, VTB_SCHEDULES_LIMIT);
		return 0;
	case OPT_LIST:
		list(vtb_strategy_list);
		return 0;
	case OPT_LIST_PRIORITIES:
		list(vtb_priority_list);
		return 0;
	case ARGP_KEY_ARG:
		if (o->input)
			argp_error(state, "one trace at a time");
		o->input = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->input)
			argp_error(state, "no trace given");
		return 0;
	default:
		return parse_search(key, arg, state, &o->synth.search);
	}
}

static int run(struct options *o, struct vtb_trace *trace, struct vtb_error *err)
{
	FILE *out = strcmp(o->output, "-") == 0 ? stderr : stdout;
	struct vtb_synth result;
	int r = vtb_synth_run(trace, &o->synth, &result, err);

	if (r < 0)
		return r;
	r = vtb_synth_write(&result, trace, o->output, err);
	if (r >= 0 && o->cli.json)
		vtb_synth_print_json(&result, out);
	else if (r >= 0 && !o->cli.quiet)
		vtb_synth_print(&result, o->cli.verbose ? 0 : 20, out);
	vtb_synth_fini(&result);
	return r;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { rows, parse, "TRACE", "Propose schedules that might make the recorded program fail, best first.\vTRACE is a trace.json written by vtb-decode. Try the schedules with vtb-replay.", vtb_cli_children, NULL, NULL };
	struct options o = { .output = "schedules.json" };
	struct vtb_error err = { 0 };
	struct vtb_trace trace;
	int r;

	vtb_cli_init(argv[0]);
	vtb_synth_opts_init(&o.synth);
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	o.synth.search.seed = o.cli.seed;
	r = vtb_trace_read(o.input, &trace, &err);
	if (r < 0)
		return vtb_cli_fail(r, &err);
	r = run(&o, &trace, &err);
	vtb_trace_fini(&trace);
	return r < 0 ? vtb_cli_fail(r, &err) : VTB_EXIT_GOOD;
}
