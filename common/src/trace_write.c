/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event_text.h"
#include "files.h"
#include "outcome.h"
#include "vtb/output.h"

static void write_inline(struct vtb_json_writer *w, const struct vtb_trace *trace)
{
	vtb_json_array(w, "events");
	for (size_t i = 0; i < trace->n_events; i++)
		vtb_event_write(w, &trace->tab, &trace->events[i]);
	vtb_json_end(w);
}

static void write_reference(struct vtb_json_writer *w, const struct vtb_events_ref *ref)
{
	vtb_json_object_row(w, "events");
	vtb_json_string(w, "file", ref->file);
	vtb_json_u64(w, "count", ref->count);
	vtb_json_hex(w, "xxh3", ref->xxh3);
	vtb_json_end(w);
}

void vtb_files_write_trace(struct vtb_json_writer *w, const char *key, const struct vtb_trace *trace, const struct vtb_events_ref *ref)
{
	vtb_json_object(w, key);
	vtb_json_string(w, "format", "vtb-trace");
	vtb_json_u64(w, "version", VTB_TRACE_VERSION);
	vtb_files_write_program(w, trace->argv, trace->cwd, trace->backend);
	vtb_json_string(w, "order", trace->order == VTB_ORDER_TOTAL ? "total" : "sync");
	vtb_outcome_write(w, "outcome", &trace->tab, &trace->outcome);
	vtb_json_u64(w, "lost", trace->lost);
	vtb_files_write_names(w, &trace->tab);
	if (ref->separate)
		write_reference(w, ref);
	else
		write_inline(w, trace);
	vtb_json_end(w);
}

/* The events file is put in place first: a text file never names one that is not there yet. */
int vtb_trace_write(const struct vtb_trace *trace, const char *path, struct vtb_error *err)
{
	struct vtb_output text = { 0 }, events = { 0 };
	struct vtb_events_ref ref;
	struct vtb_json_writer w;
	int r = vtb_events_write(trace, path, &events, &ref, err);

	if (r >= 0)
		r = vtb_output_open(&text, path, err);
	if (r >= 0) {
		vtb_json_begin(&w, text.file);
		vtb_files_write_trace(&w, NULL, trace, &ref);
		vtb_json_finish(&w);
	}
	if (r >= 0 && ref.separate)
		r = vtb_output_commit(&events, err);
	if (r >= 0)
		r = vtb_output_commit(&text, err);
	vtb_output_abort(&text);
	vtb_output_abort(&events);
	return r;
}
