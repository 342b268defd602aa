/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event_text.h"
#include "format_parts.h"
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

void vtb_files_write_trace(struct vtb_json_writer *w, const char *key, const struct vtb_trace *trace,
                           const struct vtb_events_ref *ref)
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

struct vtb_trace_writer {
	char *path;
	struct vtb_events_writer *events;
};

void vtb_trace_writer_free(struct vtb_trace_writer *w)
{
	if (!w)
		return;
	vtb_events_writer_free(w->events);
	free(w->path);
	free(w);
}

int vtb_trace_writer_new(const char *path, struct vtb_trace_writer **ret, struct vtb_error *err)
{
	struct vtb_trace_writer *w = calloc(1, sizeof(*w));
	int r;

	if (w)
		w->path = strdup(path);
	r = w && w->path ? vtb_events_writer_new(path, &w->events, err)
	                 : vtb_error_set(err, -ENOMEM, path, 0, "not enough memory");
	if (r < 0)
		vtb_trace_writer_free(w);
	else
		*ret = w;
	return r;
}

int vtb_trace_writer_add(struct vtb_trace_writer *w, const struct vtb_event *events, size_t n, struct vtb_error *err)
{
	return vtb_events_writer_add(w->events, events, n, err);
}

static void write_text(struct vtb_trace_writer *w, const struct vtb_trace *trace, const struct vtb_events_ref *ref,
                       FILE *file)
{
	struct vtb_trace whole = *trace;
	struct vtb_json_writer json;

	whole.events = (struct vtb_event *)(uintptr_t)vtb_events_writer_inline(w->events); /* only looked at */
	whole.n_events = ref->separate ? 0 : (size_t)ref->count;
	vtb_json_begin(&json, file);
	vtb_files_write_trace(&json, NULL, &whole, ref);
	vtb_json_finish(&json);
}

/* The events file is put in place first: a text file never names one that is not there yet. */
int vtb_trace_writer_end(struct vtb_trace_writer *w, const struct vtb_trace *trace, struct vtb_error *err)
{
	struct vtb_output text = { .row = -1 };
	struct vtb_events_ref ref;
	int r = vtb_events_writer_end(w->events, &ref, err);

	if (r >= 0)
		r = vtb_output_open(&text, w->path, err);
	if (r >= 0)
		write_text(w, trace, &ref, text.file);
	if (r >= 0)
		r = vtb_events_writer_commit(w->events, &text, err);
	vtb_output_abort(&text);
	return r;
}

int vtb_trace_write(const struct vtb_trace *trace, const char *path, struct vtb_error *err)
{
	struct vtb_trace_writer *w;
	int r = vtb_trace_writer_new(path, &w, err);

	if (r < 0)
		return r;
	r = vtb_trace_writer_add(w, trace->events, trace->n_events, err);
	if (r >= 0)
		r = vtb_trace_writer_end(w, trace, err);
	vtb_trace_writer_free(w);
	return r;
}
