/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chrome's trace event JSON, which Perfetto reads: one track a thread, every operation a slice of one step, conflicts
 * and switches as flow arrows between those that the picture shows. Time is the place in the trace, not a clock.
 */
#include "reporter.h"
#include "text.h"
#include "vtb/json.h"
#include "picture_words.h"

#include <errno.h>
#include <stdlib.h>

static void put_thread_name(struct vtb_json_writer *w, const struct vtb_symtab *tab, uint32_t thread)
{
	struct text name = { 0 };
	char *text;

	words_thread(&name, tab, thread);
	text = text_take(&name);
	vtb_json_object_row(w, NULL);
	vtb_json_string(w, "ph", "M");
	vtb_json_string(w, "name", "thread_name");
	vtb_json_u64(w, "pid", 1);
	vtb_json_u64(w, "tid", thread + 1);
	vtb_json_object_row(w, "args");
	vtb_json_string(w, "name", text ? text : "?");
	vtb_json_end(w);
	vtb_json_end(w);
	free(text);
}

static void put_event(struct vtb_json_writer *w, const struct vtb_trace *trace, size_t i)
{
	const struct vtb_event *e = &trace->events[i];
	struct text words = { 0 }, place = { 0 };
	char *name, *where;

	words_event(&words, trace, e);
	words_value(&words, trace, e);
	words_place(&place, &trace->tab, e->site);
	name = text_take(&words);
	where = text_take(&place);
	vtb_json_object_row(w, NULL);
	vtb_json_string(w, "ph", "X");
	vtb_json_string(w, "name", name ? name : "?");
	vtb_json_string(w, "cat", vtb_event_info(e->kind) ? vtb_event_info(e->kind)->name : "?");
	vtb_json_u64(w, "pid", 1);
	vtb_json_u64(w, "tid", e->thread + 1u);
	vtb_json_u64(w, "ts", i);
	vtb_json_u64(w, "dur", 1);
	vtb_json_object_row(w, "args");
	vtb_json_string(w, "place", where ? where : "");
	if (e->site < trace->tab.n_sites)
		vtb_json_string(w, "source", trace->tab.sites[e->site].text);
	vtb_json_end(w);
	vtb_json_end(w);
	free(name);
	free(where);
}

static void put_flow_end(struct vtb_json_writer *w, const struct vtb_trace *trace, const struct arrow *arrow, size_t id,
                         size_t event, const char *phase)
{
	vtb_json_object_row(w, NULL);
	vtb_json_string(w, "ph", phase);
	vtb_json_string(w, "name", arrow->kind == ARROW_SWITCH ? arrow->label : "before");
	vtb_json_string(w, "cat", arrow->kind == ARROW_SWITCH ? "switch" : "order");
	vtb_json_u64(w, "id", id + 1);
	vtb_json_u64(w, "pid", 1);
	vtb_json_u64(w, "tid", trace->events[event].thread + 1u);
	vtb_json_u64(w, "ts", event);
	if (phase[0] == 'f')
		vtb_json_string(w, "bp", "e");
	vtb_json_end(w);
}

static void put_flows(struct vtb_json_writer *w, const struct picture *p, const struct vtb_trace *trace)
{
	for (size_t i = 0; i < p->n_arrows; i++) {
		const struct arrow *arrow = &p->arrows[i];

		if (arrow->from == SELECT_NO_EVENT)
			continue;
		put_flow_end(w, trace, arrow, i, p->cells[arrow->from].event, "s");
		put_flow_end(w, trace, arrow, i, p->cells[arrow->to].event, "f");
	}
}

static int write(const struct report *report, FILE *f, struct vtb_error *err)
{
	const struct vtb_trace *trace = report->trace;
	struct vtb_json_writer w;

	if (!trace)
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, report->path, 0,
		                     "is a schedule that has not run: there is no time line to show");
	vtb_json_begin(&w, f);
	vtb_json_object(&w, NULL);
	vtb_json_string(&w, "displayTimeUnit", "ns");
	vtb_json_array(&w, "traceEvents");
	for (uint32_t thread = 0; thread < trace->tab.n_threads; thread++)
		put_thread_name(&w, &trace->tab, thread);
	for (size_t i = 0; i < trace->n_events; i++)
		put_event(&w, trace, i);
	put_flows(&w, report->picture, trace);
	vtb_json_end(&w);
	vtb_json_end(&w);
	vtb_json_finish(&w);
	return 0;
}

const struct reporter reporter_perfetto = {
	.format = { "perfetto", "a time line of all operations, Chrome's JSON, for ui.perfetto.dev" },
	.write = write,
};
