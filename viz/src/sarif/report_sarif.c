/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SARIF 2.1.0. codeFlows[0] is the whole interleaving in one threadFlow, as viewers show only the first; codeFlows[1]
 * has one threadFlow a thread, executionOrder counting across them (SARIF 3.36 - 3.38).
 */
#include <stdlib.h>
#include <string.h>

#include "report_causes_text.h"
#include "sarif.h"
#include "text.h"
#include "verdict_class.h"

static const char *importance_of(const struct cell *cell)
{
	return cell->kind == CELL_FAILS || cell->kind == CELL_WAITS || cell->kind == CELL_OPERATION ? "essential"
	                                                                                            : "important";
}

/* `prefix`: the thread's name stands before the words, for the flow that holds all threads. */
static void put_flow_location(struct sarif *w, const struct cell *cell, bool prefix)
{
	const struct picture *p = w->report->picture;
	struct text text = { 0 };
	char *words;

	if (prefix)
		text_printf(&text, "[%s] ", p->columns[cell->column].name);
	text_add(&text, cell->words);
	if (cell->note[0])
		text_printf(&text, " (%s)", cell->note);
	words = text_take(&text);
	vtb_json_object(&w->json, NULL);
	vtb_json_u64(&w->json, "executionOrder", cell->step);
	vtb_json_string(&w->json, "importance", importance_of(cell));
	vtb_json_object(&w->json, "location");
	sarif_physical(w, cell->site);
	sarif_text(w, "message", words ? words : "?");
	vtb_json_end(&w->json);
	vtb_json_end(&w->json);
	free(words);
}

static void put_thread_flow(struct sarif *w, const char *id, uint32_t column, bool all)
{
	const struct picture *p = w->report->picture;

	vtb_json_object(&w->json, NULL);
	vtb_json_string(&w->json, "id", id);
	vtb_json_array(&w->json, "locations");
	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].step && (all || p->cells[i].column == column))
			put_flow_location(w, &p->cells[i], all);
	vtb_json_end(&w->json);
	vtb_json_end(&w->json);
}

static bool has_steps(const struct picture *p, uint32_t column)
{
	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].step && p->cells[i].column == column)
			return true;
	return false;
}

static void put_code_flows(struct sarif *w)
{
	const struct picture *p = w->report->picture;

	vtb_json_array(&w->json, "codeFlows");
	for (int flow = 0; flow < 2; flow++) {
		vtb_json_object(&w->json, NULL);
		sarif_text(w, "message",
		           flow ? "the failing order, thread by thread" : "the failing order, all threads");
		vtb_json_array(&w->json, "threadFlows");
		if (flow == 0)
			put_thread_flow(w, "all threads", 0, true);
		for (uint32_t column = 0; flow && column < p->n_columns; column++)
			if (has_steps(p, column))
				put_thread_flow(w, p->columns[column].name, column, false);
		vtb_json_end(&w->json);
		vtb_json_end(&w->json);
	}
	vtb_json_end(&w->json);
}

static bool has_file(const struct sarif *w, uint32_t site)
{
	return site < w->tab->n_sites && w->tab->sites[site].file[0];
}

/* Where it fails; if that is nobody's file, the last step before it that is in one. */
static uint32_t failing_site(const struct sarif *w)
{
	const struct picture *p = w->report->picture;

	if (has_file(w, w->report->trace->outcome.site))
		return w->report->trace->outcome.site;
	for (size_t i = 0; i < p->n_cells; i++)
		if ((p->cells[i].kind == CELL_FAILS || p->cells[i].kind == CELL_WAITS) && has_file(w, p->cells[i].site))
			return p->cells[i].site;
	for (size_t i = p->n_cells; i-- > 0;)
		if (has_file(w, p->cells[i].site))
			return p->cells[i].site;
	return VTB_NONE;
}

static void put_location(struct sarif *w, uint32_t site)
{
	if (!has_file(w, site))
		return;
	vtb_json_array(&w->json, "locations");
	vtb_json_object(&w->json, NULL);
	sarif_physical(w, site);
	vtb_json_end(&w->json);
	vtb_json_end(&w->json);
}

/* "An assertion fails ...", what the program said, why, and what to change. */
static void put_message(struct sarif *w)
{
	const struct picture *p = w->report->picture;
	struct text text = { 0 };
	char *whole;

	text_add(&text, p->title);
	if (p->message[0])
		text_printf(&text, "\n%s", p->message);
	if (w->report->failure && w->report->failure->causes.n_causes) {
		text_add(&text, "\n");
		text_add_causes(&text, w->report->failure);
	}
	whole = text_take(&text);
	sarif_text(w, "message", whole ? whole : p->title);
	free(whole);
}

static void put_result(struct sarif *w, struct verdict_class class)
{
	const struct vtb_failure *failure = w->report->failure;

	vtb_json_object(&w->json, NULL);
	vtb_json_string(&w->json, "ruleId", class.id);
	vtb_json_u64(&w->json, "ruleIndex", 0);
	vtb_json_string(&w->json, "level", "error");
	vtb_json_string(&w->json, "kind", "fail");
	put_message(w);
	put_location(w, failing_site(w));
	if (failure) {
		sarif_related(w, &failure->causes);
		sarif_stacks(w, failure);
	}
	if (failure && failure->signature) {
		vtb_json_object_row(&w->json, "partialFingerprints");
		vtb_json_string(&w->json, "vtbSignature/v1", failure->signature);
		vtb_json_end(&w->json);
	}
	if (failure && failure->confirmed)
		vtb_json_u64(&w->json, "occurrenceCount", failure->confirmed);
	put_code_flows(w);
	if (failure)
		sarif_properties(w, failure);
	vtb_json_end(&w->json);
}

static void put_rule(struct sarif *w, struct verdict_class class, enum vtb_verdict verdict)
{
	vtb_json_object(&w->json, NULL);
	vtb_json_string(&w->json, "id", class.id);
	vtb_json_string(&w->json, "name", class.name);
	sarif_text(w, "shortDescription", vtb_verdict_text(verdict));
	vtb_json_object_row(&w->json, "properties");
	vtb_json_array_row(&w->json, "tags");
	vtb_json_string(&w->json, NULL, "concurrency");
	vtb_json_string(&w->json, NULL, class.cwe);
	vtb_json_end(&w->json);
	vtb_json_end(&w->json);
	vtb_json_end(&w->json);
}

static void put_driver(struct sarif *w, struct verdict_class class, enum vtb_verdict verdict)
{
	vtb_json_object(&w->json, "tool");
	vtb_json_object(&w->json, "driver");
	vtb_json_string(&w->json, "name", "vtb");
	vtb_json_string(&w->json, "version", VTB_VERSION);
	vtb_json_array(&w->json, "rules");
	if (w->report->picture->failed)
		put_rule(w, class, verdict);
	sarif_suspicion_rules(w);
	vtb_json_end(&w->json);
	vtb_json_end(&w->json);
	vtb_json_end(&w->json);
}

static int write(const struct report *report, FILE *f, struct vtb_error *err)
{
	struct sarif w = { .report = report };
	enum vtb_verdict verdict;

	if (!report->trace)
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, report->path, 0,
		                     "is a schedule that has not run: there is no result to report");
	verdict = report->failure ? report->failure->verdict : report->trace->outcome.verdict;
	w.tab = &report->trace->tab;
	vtb_json_begin(&w.json, f);
	vtb_json_object(&w.json, NULL);
	vtb_json_string(&w.json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	vtb_json_string(&w.json, "version", "2.1.0");
	vtb_json_array(&w.json, "runs");
	vtb_json_object(&w.json, NULL);
	put_driver(&w, verdict_class_of(verdict), verdict);
	sarif_bases(&w);
	vtb_json_array(&w.json, "results");
	if (report->picture->failed)
		put_result(&w, verdict_class_of(verdict));
	sarif_suspicions(&w);
	vtb_json_end(&w.json);
	vtb_json_end(&w.json);
	vtb_json_end(&w.json);
	vtb_json_end(&w.json);
	vtb_json_finish(&w.json);
	return 0;
}

const struct reporter reporter_sarif = {
	.format = { "sarif", "SARIF 2.1.0, for code scanning and editors" },
	.write = write,
};
