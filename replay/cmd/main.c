/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vtb-replay: run a program under given schedules and say what each does. */
#include "show.h"

#include "vtb/cli.h"
#include "vtb/replay.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

struct options {
	struct vtb_cli cli;
	struct vtb_replay_opts replay;
	bool gdb, under_debugger;
};

enum { OPT_SCHEDULE = 256, OPT_TIMES, OPT_GDB, OPT_TIER, OPT_ENGINE, OPT_CARRIER, OPT_DIRTY, OPT_TIMEOUT, OPT_FAIL_IF, OPT_EXPECT_OUTPUT, OPT_UNDER_DEBUGGER, OPT_REAL_TIME, OPT_FOLLOW, OPT_JOBS, OPT_KEEP_FILES };

static const struct argp_option rows[] = {
	{"schedule", OPT_SCHEDULE, "N", 0, "Replay only schedule N, from 1", 1},
	{"times", OPT_TIMES, "N", 0, "Replay a failing schedule N times before it counts (default 3)", 1},
	{"output", 'o', "FILE", 0, "Write the first confirmed failure to FILE, with its events, values and stacks", 1},
	{"gdb", OPT_GDB, NULL, 0, "Run the program under gdb with the schedule, as often as you say `run`", 1},
	{"fail-if", OPT_FAIL_IF, "RULE", 0, "Which exit statuses are failures: exit!=N (default exit!=0), exit=N,M, never", 2},
	{"expect-output", OPT_EXPECT_OUTPUT, "FILE", 0, "Any other output of the program is a failure", 2},
	{"timeout", OPT_TIMEOUT, "SECONDS", 0, "Stop a run after SECONDS (default 10)", 2},
	{"tier", OPT_TIER, "NAME", 0, "How accesses are seen: auto, pads, tsan, break, sync", 3},
	{"engine", OPT_ENGINE, "NAME", 0, "How runs are repeated: auto, snapshot, forkserver, exec", 3},
	{"carrier", OPT_CARRIER, "NAME", 0, "What carries the threads: auto, threads, fibers", 3},
	{"dirty", OPT_DIRTY, "NAME", 0, "How engine snapshot finds changed pages: auto, scan, copy, mprotect", 3},
	{"follow-children", OPT_FOLLOW, "N", OPTION_ARG_OPTIONAL, "Control goes with the child of the program's Nth fork (default 1), as it does if a failure.json was found so", 3},
	{"jobs", OPT_JOBS, "N", 0, "Processes that run schedules (default: one a processor on engine snapshot, else 1)", 3},
	{"keep-files", OPT_KEEP_FILES, NULL, 0, "Do not undo what a run changes in the file system; the next one meets it", 3},
	{"real-time", OPT_REAL_TIME, NULL, 0, "Clocks and sleeps are the system's, as they are if a failure.json was found so; else time is virtual", 3},
	{"under-debugger", OPT_UNDER_DEBUGGER, NULL, OPTION_HIDDEN, "", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

static volatile sig_atomic_t stopped;

static void on_signal(int signal)
{
	stopped = signal;
}

static void take_argument(struct options *o, struct argp_state *state, char *arg)
{
	if (!o->replay.path) {
		o->replay.path = arg;
		return;
	}
	o->replay.argv = &state->argv[state->next - 1];
	state->next = state->argc;
}

static int named(const struct argp_state *state, const char *option, const char *arg, int r)
{
	if (r == -VTB_E_UNSUPPORTED)
		argp_error(state, "%s=%s is not built in", option, arg);
	else if (r < 0)
		argp_error(state, "%s=%s: no such name", option, arg);
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct vtb_replay_opts *p = &o->replay;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->cli;
		return 0;
	case OPT_SCHEDULE:
		p->schedule = (uint32_t)vtb_cli_arg_number(state, "--schedule", arg, 1, VTB_SCHEDULES_LIMIT);
		return 0;
	case OPT_TIMES:
		p->times = (uint32_t)vtb_cli_arg_number(state, "--times", arg, 1, 1000000);
		return 0;
	case 'o':
		p->output = arg;
		return 0;
	case OPT_GDB:
		o->gdb = true;
		return 0;
	case OPT_UNDER_DEBUGGER:
		o->under_debugger = true;
		return 0;
	case OPT_KEEP_FILES:
		p->keep_files = true;
		return 0;
	case OPT_REAL_TIME:
		p->real_time = true;
		return 0;
	case OPT_JOBS:
		p->jobs = (uint32_t)vtb_cli_arg_number(state, "--jobs", arg, 1, 1024);
		return 0;
	case OPT_FOLLOW:
		p->follow = arg ? (uint32_t)vtb_cli_arg_number(state, "--follow-children", arg, 1, UINT32_MAX) : 1;
		return 0;
	case OPT_FAIL_IF:
		p->fail_if = arg;
		return 0;
	case OPT_EXPECT_OUTPUT:
		p->expect_output = arg;
		return 0;
	case OPT_TIMEOUT:
		p->timeout_msec = 1000u * (uint32_t)vtb_cli_arg_number(state, "--timeout", arg, 1, 1000000);
		return 0;
	case OPT_TIER:
		return named(state, "--tier", arg, vtb_tier_by_name(arg, &p->tier));
	case OPT_ENGINE:
		return named(state, "--engine", arg, vtb_engine_by_name(arg, &p->engine));
	case OPT_CARRIER:
		return named(state, "--carrier", arg, vtb_carrier_by_name(arg, &p->carrier));
	case OPT_DIRTY:
		return named(state, "--dirty", arg, vtb_dirty_by_name(arg, &p->dirty));
	case ARGP_KEY_ARG:
		take_argument(o, state, arg);
		return 0;
	case ARGP_KEY_END:
		if (!p->path)
			argp_error(state, "no file given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {rows, parse, "FILE [[--] PROGRAM [ARGUMENT...]]", "Run PROGRAM (default: the recorded command) under the schedules of FILE, a schedules.json or failure.json.\vExit code: 1 if a failure was confirmed, 0 if every schedule was followed and nothing failed, 3 if a schedule was not followed or proves nothing, 2 for bad usage or input.", vtb_cli_children, NULL, NULL};
	struct options o = {.replay = {.engine = VTB_ENGINE_AUTO, .stop = &stopped}};
	const struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
	struct vtb_replay_report report;
	struct vtb_error err = {0};
	int r, code;

	vtb_cli_init(argv[0]);
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &o);
	if (o.under_debugger) {
		r = vtb_replay_exec(&o.replay, &err);
		return vtb_cli_fail(r, &err);
	}
	if (o.gdb) {
		r = vtb_replay_gdb(&o.replay, &err);
		return vtb_cli_fail(r, &err);
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	r = vtb_replay_run(&o.replay, &report, &err);
	if (r == -EINTR)
		return VTB_EXIT_NOTHING;
	if (r < 0)
		return vtb_cli_fail(r, &err);
	vtb_show_report(&report, &o.replay, &o.cli);
	code = vtb_replay_report_exit_code(&report);
	vtb_replay_report_fini(&report);
	return code;
}
