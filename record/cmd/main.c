/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vtb-record: run a program and write down what its threads do. */
#include "show.h"

#include "vtb/cli.h"
#include "vtb/record.h"
#include "vtb/target.h"

#include <argp.h>
#include <stdio.h>
#include <unistd.h>

#define EXIT_OWN_TROUBLE 125

struct options {
	struct vtb_cli cli;
	struct vtb_record_opts record;
	bool progress_shown;
};

enum { OPT_BACKEND = 256, OPT_UNTIL_FAIL, OPT_TIMEOUT, OPT_MAX_SIZE, OPT_SYNC_ONLY, OPT_SNAPSHOT };

static const struct argp_option rows[] = {
	{ "output", 'o', "DIR", 0, "Write the recording to DIR (default run.vtb); an older recording there is replaced",
	  0 },
	{ "backend", OPT_BACKEND, "NAME", 0, "Record with backend NAME (default rt)", 0 },
	{ "repeat", 'n', "N", 0, "Run the program up to N times and keep the last recording", 0 },
	{ "until-fail", OPT_UNTIL_FAIL, NULL, 0,
	  "Stop at the first run that fails and keep it (with --repeat; default 1000 runs)", 0 },
	{ "timeout", OPT_TIMEOUT, "SECONDS", 0,
	  "Stop a run after SECONDS; its exit code is then 124 and it counts as failed", 0 },
	{ "max-size", OPT_MAX_SIZE, "MB", 0,
	  "Store at most MB megabytes of events a run (default 4096); what comes after is counted as lost", 0 },
	{ "sync-only", OPT_SYNC_ONLY, NULL, 0, "Leave out memory accesses", 0 },
	{ "snapshot", OPT_SNAPSHOT, NULL, 0, "Backend pt: keep only the end of the run, as much as fits the buffers",
	  0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static uint64_t number(const struct argp_state *state, const char *option, const char *arg, uint64_t max)
{
	return vtb_cli_arg_number(state, option, arg, 1, max);
}

/* Everything from the first word that is no option belongs to the program. */
static void take_program(struct options *o, struct argp_state *state)
{
	o->record.argv = &state->argv[state->next - 1];
	state->next = state->argc;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->cli;
		return 0;
	case 'o':
		o->record.output = arg;
		return 0;
	case OPT_BACKEND:
		o->record.backend = arg;
		return 0;
	case 'n':
		o->record.repeat = (uint32_t)number(state, "--repeat", arg, 1000000000);
		return 0;
	case OPT_UNTIL_FAIL:
		o->record.until_fail = true;
		return 0;
	case OPT_TIMEOUT:
		o->record.timeout_msec = (uint32_t)number(state, "--timeout", arg, 4000000) * 1000u;
		return 0;
	case OPT_MAX_SIZE:
		o->record.max_bytes = number(state, "--max-size", arg, 1u << 24) << 20;
		return 0;
	case OPT_SYNC_ONLY:
		o->record.sync_only = true;
		return 0;
	case OPT_SNAPSHOT:
		o->record.snapshot = true;
		return 0;
	case ARGP_KEY_ARG:
		take_program(o, state);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no program given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void show_progress(void *arg, const struct vtb_record_progress *p)
{
	struct options *o = arg;

	if (p->seconds < 1 && !o->progress_shown)
		return;
	o->progress_shown = true;
	fprintf(stderr, "\rrecording: run %u of %u, %.0f s, %u threads, %.1f MB \033[K", p->run, p->runs, p->seconds,
	        p->threads, (double)p->bytes / (1 << 20));
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		rows,
		parse,
		"PROGRAM [ARGUMENT...]",
		"Run PROGRAM and record what its threads do.\vThe exit code is PROGRAM's own (128 + n after signal n); "
		"125: trouble of vtb-record itself, 126: PROGRAM cannot be executed, 127: it was not found.",
		vtb_cli_children,
		NULL,
		NULL
	};
	struct options o = { .record.max_bytes = 4096ull << 20 };
	struct vtb_record_result res;
	struct vtb_error err = { 0 };
	int r;

	vtb_cli_init(argv[0]);
	argp_err_exit_status = EXIT_OWN_TROUBLE; /* 2 may be the program's */
	vtb_cli_argp_parse(&argp, argc, argv, ARGP_IN_ORDER, &o);
	if (o.record.until_fail && !o.record.repeat)
		o.record.repeat = 1000;
	if (isatty(STDERR_FILENO) && !o.cli.quiet && !o.cli.json) {
		o.record.progress = show_progress;
		o.record.progress_arg = &o;
	}
	r = vtb_record_run(&o.record, &res, &err);
	if (r < 0) {
		vtb_cli_fail(r, &err);
		return vtb_target_exit_code(r);
	}
	if (o.progress_shown)
		fputs("\r\033[K", stderr);
	vtb_show_recording(&res, &o.record, &o.cli);
	return res.exit_code;
}
