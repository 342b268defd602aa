/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show.h"

#include "vtb/json.h"

#include <inttypes.h>
#include <stdio.h>

static const char *directory(const struct vtb_record_opts *opts)
{
	return opts->output ? opts->output : "run.vtb";
}

static void show_text(const struct vtb_record_result *res, const struct vtb_record_opts *opts, bool verbose)
{
	if (res->note[0])
		vtb_cli_error("%s", res->note);
	if (res->status == VTB_RECORD_TIMEOUT)
		vtb_cli_error("the program was stopped: its time was over");
	if (res->left_behind)
		vtb_cli_error("processes that the program left behind were ended: %u", res->left_behind);
	if (opts->repeat > 1)
		vtb_cli_error("%u runs, the last one %s", res->runs,
		              res->failed ? "failed and was kept" : "passed and was kept");
	if (verbose)
		vtb_cli_error("recorded: %u threads, %" PRIu64 " accesses, %" PRIu64 " bytes of events in %s",
		              res->threads, res->accesses, res->bytes, directory(opts));
}

/* On stderr: stdout is the program's. */
static void show_json(const struct vtb_record_result *res, const struct vtb_record_opts *opts)
{
	struct vtb_json_writer w;

	vtb_json_begin(&w, stderr);
	vtb_json_object(&w, NULL);
	vtb_json_string(&w, "format", "vtb-record-report");
	vtb_json_u64(&w, "version", 1);
	vtb_json_string(&w, "recording", directory(opts));
	vtb_json_string(&w, "status", vtb_record_status_name(res->status));
	vtb_json_int(&w, "exit_code", res->exit_code);
	vtb_json_int(&w, "signal", res->signal);
	vtb_json_u64(&w, "runs", res->runs);
	vtb_json_bool(&w, "failed", res->failed);
	vtb_json_real(&w, "seconds", res->seconds);
	vtb_json_u64(&w, "threads", res->threads);
	vtb_json_u64(&w, "accesses", res->accesses);
	vtb_json_u64(&w, "bytes", res->bytes);
	vtb_json_u64(&w, "lost", res->lost);
	vtb_json_u64(&w, "left_behind", res->left_behind);
	vtb_json_string(&w, "note", res->note);
	vtb_json_finish(&w);
}

void vtb_show_recording(const struct vtb_record_result *res, const struct vtb_record_opts *opts,
                        const struct vtb_cli *cli)
{
	if (cli->json)
		show_json(res, opts);
	else if (!cli->quiet)
		show_text(res, opts, cli->verbose > 0);
}
