/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show.h"

#include "vtb/json.h"

#include <stdio.h>

#define NOTES_SHOWN 3 /* remarks of one schedule, without -v */

static const char *result_word(const struct vtb_replay_row *row)
{
	if (row->confirmed)
		return "confirmed";
	if (row->diverged)
		return "diverged";
	if (row->failing)
		return "not confirmed";
	return vtb_replay_exit_code(&row->outcome) ? "proves nothing" : "passed";
}

static enum vtb_style result_style(const struct vtb_replay_row *row)
{
	if (row->confirmed)
		return VTB_STYLE_BAD;
	return row->diverged || row->failing || vtb_replay_exit_code(&row->outcome) ? VTB_STYLE_WARN : VTB_STYLE_GOOD;
}

static void show_row(FILE *to, const struct vtb_replay_row *row, bool color, bool all_notes)
{
	char times[32] = "-";

	if (row->failing || row->confirmed)
		snprintf(times, sizeof(times), "%u of %u", row->failing, row->runs);
	fprintf(to, "%4u  %s%-14s%s  %-18s  %s", row->schedule, vtb_style(color, result_style(row)), result_word(row),
	        vtb_style(color, VTB_STYLE_PLAIN), vtb_verdict_name(row->outcome.verdict), times);
	if (row->outcome.message && row->outcome.message[0])
		fprintf(to, "  %s", row->outcome.message);
	fputc('\n', to);
	if (row->failing && row->outcome.signature && row->outcome.signature[0])
		fprintf(to, "      signature: %s\n", row->outcome.signature);
	if (row->reason[0])
		fprintf(to, "      %s\n", row->reason);
	for (size_t i = 0; i < row->n_notes && (all_notes || i < NOTES_SHOWN); i++)
		fprintf(to, "      %s\n", row->notes[i].text);
	if (!all_notes && row->n_notes > NOTES_SHOWN)
		fprintf(to, "      and %zu more remarks (-v shows them)\n", row->n_notes - NOTES_SHOWN);
}

static void show_summary(FILE *to, const struct vtb_replay_report *r, const struct vtb_replay_opts *opts)
{
	struct vtb_process_info info;

	vtb_process_runner_info(r->runner, &info);
	if (r->file_text)
		fprintf(to, "%s\n", r->file_text);
	fprintf(to,
	        "%zu schedule%s: %u confirmed, %u failed but not confirmed, %u diverged, %u prove nothing, %u passed "
	        "(tier %s, engine %s, carrier %s)\n",
	        r->n_rows, r->n_rows == 1 ? "" : "s", r->confirmed, r->failing, r->diverged, r->inconclusive, r->passed,
	        info.tier, vtb_engine_name((int)info.engine), vtb_carrier_name(info.carrier));
	if (r->file.tab.n_modules)
		fprintf(to, "The build of the program is %s.\n",
		        vtb_replay_build_words(vtb_replay_build(&r->file.tab, r->runner->tab)));
	if (info.input && info.input->other)
		fprintf(
		    to,
		    "Standard input is a file that holds something else now; the program was given what it was when it "
		    "failed.\n");
	if (info.trouble[0])
		fprintf(to, "the runtime says: %.255s\n", info.trouble);
	if (r->failure_written)
		fprintf(to, "written: %s\n", opts->output);
}

/* ---- JSON */

static const char *place_word(enum vtb_place_state state)
{
	static const char *const words[] = { "same", "moved", "changed", "ambiguous", "missing" };

	return (unsigned)state < sizeof(words) / sizeof(words[0]) ? words[state] : "?";
}

static void json_row(struct vtb_json_writer *w, const struct vtb_replay_row *row)
{
	vtb_json_object(w, NULL);
	vtb_json_u64(w, "schedule", row->schedule);
	vtb_json_string(w, "result", result_word(row));
	vtb_json_string(w, "verdict", vtb_verdict_name(row->outcome.verdict));
	vtb_json_string(w, "signature", row->outcome.signature ? row->outcome.signature : "");
	vtb_json_string(w, "message", row->outcome.message ? row->outcome.message : "");
	vtb_json_int(w, "exit_status", row->outcome.exit_status);
	vtb_json_u64(w, "runs", row->runs);
	vtb_json_u64(w, "failing", row->failing);
	vtb_json_bool(w, "diverged", row->diverged);
	vtb_json_bool(w, "by_name", row->by_name);
	vtb_json_string(w, "reason", row->reason);
	vtb_json_array(w, "places");
	for (size_t i = 0; i < row->n_notes; i++) {
		vtb_json_object_row(w, NULL);
		vtb_json_string(w, "state", place_word(row->notes[i].state));
		vtb_json_string(w, "text", row->notes[i].text);
		vtb_json_end(w);
	}
	vtb_json_end(w);
	vtb_json_end(w);
}

static void show_json(const struct vtb_replay_report *r, const struct vtb_replay_opts *opts)
{
	struct vtb_process_info info;
	struct vtb_json_writer w;

	vtb_process_runner_info(r->runner, &info);
	vtb_json_begin(&w, stdout);
	vtb_json_object(&w, NULL);
	vtb_json_string(&w, "format", "vtb-replay-report");
	vtb_json_u64(&w, "version", 1);
	vtb_json_u64(&w, "confirmed", r->confirmed);
	vtb_json_u64(&w, "not_confirmed", r->failing);
	vtb_json_u64(&w, "diverged", r->diverged);
	vtb_json_u64(&w, "inconclusive", r->inconclusive);
	vtb_json_u64(&w, "passed", r->passed);
	vtb_json_string(&w, "build", vtb_replay_build_name(vtb_replay_build(&r->file.tab, r->runner->tab)));
	vtb_json_string(&w, "tier", info.tier);
	vtb_json_string(&w, "engine", vtb_engine_name((int)info.engine));
	vtb_json_string(&w, "carrier", vtb_carrier_name(info.carrier));
	vtb_json_string(&w, "trouble", info.trouble);
	vtb_json_string(&w, "failure", r->failure_written ? opts->output : NULL);
	vtb_json_array(&w, "schedules");
	for (size_t i = 0; i < r->n_rows; i++)
		json_row(&w, &r->rows[i]);
	vtb_json_finish(&w);
}

void vtb_show_report(const struct vtb_replay_report *r, const struct vtb_replay_opts *opts, const struct vtb_cli *cli)
{
	const bool color = vtb_cli_colored(cli, stdout);
	FILE *text;

	if (cli->json) {
		show_json(r, opts);
		return;
	}
	text = vtb_cli_text(stdout);
	for (size_t i = 0; i < r->n_rows && !cli->quiet; i++)
		show_row(text, &r->rows[i], color, cli->verbose > 0);
	show_summary(text, r, opts);
	fclose(text);
}
