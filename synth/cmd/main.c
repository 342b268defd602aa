/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vtb-synth: a trace to schedules worth trying, best first. */
#include <string.h>
#include <time.h>

#include "vtb/search_options.h"
#include "vtb/synth.h"
#include "vtb/time_up.h"

struct options {
	struct vtb_cli cli;
	struct vtb_synth_opts synth;
	const char *input, *output, *why;
};

static const struct vtb_cli_row rows[] = {
	{ "output", "FILE", "Write the schedules to FILE (default schedules.json; - is standard output)", VTB_CLI_TEXT,
	  .member = offsetof(struct options, output), .letter = 'o' },
	{ "top", "N", "Keep the N best candidates (default 1000)", VTB_CLI_U64,
	  .member = offsetof(struct options, synth.top), .least = 1, .most = VTB_SCHEDULES_LIMIT },
	{ "why", "PLACE", "Print how the accesses at PLACE can influence a failure, and propose nothing", VTB_CLI_TEXT,
	  .member = offsetof(struct options, why) },
	{ 0 },
};

static error_t argument(int key, char *arg, struct argp_state *state, void *data)
{
	struct options *o = data;

	if (key == ARGP_KEY_ARG && o->input)
		argp_error(state, "one trace at a time");
	else if (key == ARGP_KEY_ARG)
		o->input = arg;
	else if (key == ARGP_KEY_END && !o->input)
		argp_error(state, "no trace given");
	else if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static void read_options(struct options *o, int argc, char **argv)
{
	const struct vtb_cli_command command = {
		"TRACE",
		"Propose schedules that might make the recorded program fail, best first.\vTRACE is a trace.json "
		"written by vtb-decode. Try the schedules with vtb-replay. With --why a program will do.",
		false,
		&o->cli,
		{ { NULL, rows, o }, { "The search:", vtb_search_rows, &o->synth.search } },
		argument,
		o,
	};

	vtb_cli_init(argv[0]);
	vtb_synth_opts_init(&o->synth);
	vtb_cli_parse(&command, argc, argv);
	o->synth.search.seed = o->cli.seed;
}

static int run(struct options *o, struct vtb_trace *trace, struct vtb_error *err)
{
	FILE *out = strcmp(o->output, "-") == 0 ? stderr : stdout, *text;
	struct vtb_synth result;
	int r;

	vtb_time_up_doing("orders were being simulated");
	r = vtb_synth_run(trace, &o->synth, &result, err);
	if (r < 0)
		return r;
	vtb_time_up_doing("schedules were being written");
	r = vtb_synth_write(&result, trace, o->output, err);
	if (r >= 0 && o->cli.json) {
		vtb_synth_print_json(&result, out);
	} else if (r >= 0 && !o->cli.quiet) {
		text = vtb_cli_text(out);
		vtb_synth_print(&result,
		                (struct vtb_synth_style){ .rows = o->cli.verbose ? 0 : 20,
		                                          .width = vtb_cli_width(out),
		                                          .steps = o->cli.verbose },
		                text);
		fclose(text);
	}
	vtb_synth_fini(&result);
	return r;
}

static int why(const struct options *o, struct vtb_error *err)
{
	FILE *text = vtb_cli_text(stdout);
	const int r = vtb_synth_why(o->input, o->why, o->synth.search.check_function, text, err);

	fclose(text);
	return r;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct options o = { .output = "schedules.json" };
	struct vtb_error err = { 0 };
	const double began = now();
	struct vtb_trace trace;
	int r;

	read_options(&o, argc, argv);
	if (o.why) {
		r = why(&o, &err);
		return r < 0 ? vtb_cli_fail(r, &err) : VTB_EXIT_GOOD;
	}
	if (o.synth.search.seconds > 0)
		vtb_time_up_begin(o.synth.search.seconds, "vtb-synth", "no schedule is proposed, no file was written");
	vtb_time_up_doing("the trace was being read");
	r = vtb_trace_read(o.input, &trace, &err);
	o.synth.spent_seconds = now() - began;
	if (r < 0)
		return vtb_cli_fail(r, &err);
	r = run(&o, &trace, &err);
	vtb_time_up_end();
	vtb_trace_fini(&trace);
	return r < 0 ? vtb_cli_fail(r, &err) : VTB_EXIT_GOOD;
}
