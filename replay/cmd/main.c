/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vtb-replay: run a program under given schedules and say what each does. */
#include "show.h"

#include "vtb/cli_options.h"
#include "vtb/replay.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

struct options {
	struct vtb_cli cli;
	struct vtb_replay_opts replay;
	bool gdb, under_debugger;
};

#define MEMBER(name) offsetof(struct options, name)

static const struct vtb_cli_row rows[] = {
	{ "gdb", NULL,
	  "Run the program under gdb with the schedule: it stops before the last deviation and where it fails",
	  VTB_CLI_FLAG, .member = MEMBER(gdb) },
	{ "output", "FILE", "Write the first confirmed failure to FILE, with its events, values and stacks",
	  VTB_CLI_TEXT, .member = MEMBER(replay.output), .letter = 'o' },
	{ "run", NULL, "Run the command that FILE names, without asking", VTB_CLI_FLAG,
	  .member = MEMBER(replay.consent.given) },
	{ "schedule", "N", "Replay only schedule N, from 1", VTB_CLI_U32, .member = MEMBER(replay.schedule), .least = 1,
	  .most = VTB_SCHEDULES_LIMIT },
	{ "times", "N", "Replay a failing schedule N times before it counts (default 3)", VTB_CLI_U32,
	  .member = MEMBER(replay.times), .least = 1, .most = 1000000 },
	{ "under-debugger", NULL, "", VTB_CLI_FLAG, .member = MEMBER(under_debugger), .hidden = true },
	{ 0 },
};

static volatile sig_atomic_t stopped;

static void on_signal(int signal)
{
	stopped = signal;
}

static error_t argument(int key, char *arg, struct argp_state *state, void *data)
{
	struct vtb_replay_opts *replay = data;

	if (key == ARGP_KEY_ARG && replay->path)
		replay->argv = vtb_cli_take_program(state);
	else if (key == ARGP_KEY_ARG)
		replay->path = arg;
	else if (key == ARGP_KEY_END && !replay->path)
		argp_error(state, "no file given");
	else if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static void read_options(struct options *o, int argc, char **argv)
{
	const struct vtb_cli_command command = {
		"FILE [[--] PROGRAM [ARGUMENT...]]",
		"Run PROGRAM (default: the recorded command) under the schedules of FILE, a schedules.json or "
		"failure.json.\vExit code: 1 if a failure was confirmed, 0 if every schedule was followed and nothing "
		"failed, 3 if a schedule was not followed or proves nothing, 2 for bad usage or input.",
		true,
		&o->cli,
		{ { NULL, rows, o }, { "The program:", vtb_runner_rows, &o->replay.runner } },
		argument,
		&o->replay,
	};

	vtb_cli_init(argv[0]);
	vtb_runner_opts_init(&o->replay.runner);
	vtb_cli_parse(&command, argc, argv);
}

static void stop_on_signals(void)
{
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

int main(int argc, char **argv)
{
	struct options o = { .replay = { .stop = &stopped, .consent.ask = vtb_cli_ask } };
	struct vtb_replay_report report;
	struct vtb_error err = { 0 };
	int r, code;

	read_options(&o, argc, argv);
	if (o.under_debugger || o.gdb) {
		r = o.under_debugger ? vtb_replay_exec(&o.replay, &err) : vtb_replay_gdb(&o.replay, &err);
		return vtb_cli_fail(r, &err);
	}
	stop_on_signals();
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
