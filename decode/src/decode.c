/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/decode.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "from_stdin.h"
#include "module_report.h"
#include "source.h"
#include "vtb/json.h"

static const struct vtb_trace_source *const sources[] = { &vtb_source_pt, &vtb_source_perf, &vtb_source_joined,
	                                                  &vtb_source_recording };

static const struct vtb_trace_source *source_of(const char *path, struct vtb_error *err)
{
	char known[512] = "";

	if (access(path, F_OK) < 0) {
		vtb_error_set(err, -errno, path, 0, "cannot open: %s", strerror(errno));
		return NULL;
	}
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		const size_t len = strlen(known);

		if (sources[i]->matches(path))
			return sources[i];
		if (sources[i]->help)
			snprintf(known + len, sizeof(known) - len, "%s%s", len ? ", " : "", sources[i]->help);
	}
	vtb_error_set(err, -VTB_E_FORMAT, path, 0, "not a recording; expected %s", known);
	return NULL;
}

int vtb_decode_read(const char *path, struct vtb_trace *trace, struct vtb_error *err)
{
	struct vtb_error why = { 0 };
	const struct vtb_trace_source *source = source_of(path, &why);

	if (source)
		return source->read(path, trace, err);
	if (err)
		*err = why;
	return why.code;
}

struct decoding {
	struct vtb_decoded *to;
	struct vtb_trace_writer *writer;
	struct vtb_error *err;
};

static void count(struct vtb_decoded *d, const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	d->events++;
	if (info->family == VTB_FAMILY_MEMORY || (info->family == VTB_FAMILY_ATOMIC && e->kind != VTB_E_FENCE))
		d->accesses++;
	else if (info->flags & VTB_EV_VISIBLE)
		d->sync++;
	if (!e->size || e->kind > VTB_E_ATOMIC_CAS_FAIL)
		return;
	d->unknown += (e->flags & VTB_EVF_ADDR_UNKNOWN) != 0;
	d->symbolic += (e->flags & VTB_EVF_ADDR_SYMBOLIC) != 0;
	d->exact += !(e->flags & (VTB_EVF_ADDR_UNKNOWN | VTB_EVF_ADDR_SYMBOLIC));
}

static int take(const struct vtb_event *events, size_t n, void *data)
{
	struct decoding *d = data;

	for (size_t i = 0; i < n; i++)
		count(d->to, &events[i]);
	return vtb_trace_writer_add(d->writer, events, n, d->err);
}

static int read_and_write(const struct vtb_trace_source *source, struct decoding *d)
{
	const struct vtb_ingest_sink sink = { take, d };
	struct vtb_trace *trace = &d->to->trace;
	int r = source->read_to ? source->read_to(d->to->input, &sink, trace, d->err)
	                        : source->read(d->to->input, trace, d->err);

	if (r == 0)
		r = take(trace->events, trace->n_events, d);
	trace->n_events = 0;
	return r == 0 ? vtb_trace_writer_end(d->writer, trace, d->err) : r;
}

static int find_input(const char *named, struct vtb_decoded *ret, struct vtb_error *err)
{
	int r = 0;

	ret->input = named;
	if (!strcmp(named, "-")) {
		r = decode_from_stdin(ret->from_stdin, sizeof(ret->from_stdin), err);
		ret->input = ret->from_stdin;
	}
	return r;
}

int vtb_decode_run(const struct vtb_decode_opts *opts, struct vtb_decoded *ret, struct vtb_error *err)
{
	struct vtb_error own = { 0 };
	struct decoding d = { .to = ret, .err = err ? err : &own };
	const struct vtb_trace_source *source = NULL;
	int r;

	*ret = (struct vtb_decoded){ 0 };
	vtb_trace_init(&ret->trace);
	r = find_input(opts->input, ret, d.err);
	if (r == 0) {
		source = source_of(ret->input, d.err);
		r = source ? vtb_trace_writer_new(opts->output, &d.writer, d.err) : d.err->code;
	}
	if (r == 0)
		r = read_and_write(source, &d);
	vtb_trace_writer_free(d.writer);
	decode_name_stdin(ret->from_stdin, d.err);
	if (r < 0)
		vtb_trace_fini(&ret->trace);
	else
		ret->nameless = vtb_decode_is_nameless(&ret->trace.tab);
	return r;
}

void vtb_decode_print(const struct vtb_decode_opts *opts, const struct vtb_decoded *d, FILE *out)
{
	const struct vtb_trace *trace = &d->trace;
	uint64_t named = 0;

	for (size_t i = 0; i < trace->tab.n_sites; i++)
		named += trace->tab.sites[i].line != 0;
	fprintf(out,
	        "%s: %" PRIu64 " events of %zu threads (%" PRIu64 " accesses, %" PRIu64
	        " synchronisation), %zu variables, %zu places\n",
	        opts->output, d->events, trace->tab.n_threads, d->accesses, d->sync, trace->tab.n_variables,
	        trace->tab.n_sites);
	if (trace->lost)
		fprintf(out, "lost: %" PRIu64 " events are missing\n", trace->lost);
	if (trace->tab.n_sites && !named)
		fprintf(out, "no line information: build the program with -g to see source lines and variable names\n");
	if (trace->outcome.verdict != VTB_V_NONE)
		fprintf(out, "outcome: %s\n",
		        *trace->outcome.signature ? trace->outcome.signature
		                                  : vtb_verdict_name(trace->outcome.verdict));
}

/* What only some kinds of recordings have: shares of known addresses, details of the source. */
static void describe(const char *path, const struct vtb_decoded *d, struct vtb_json_writer *w)
{
	const struct vtb_trace_source *source = source_of(path, NULL);

	if (!source || !source->describe)
		return;
	vtb_json_object_row(w, "addresses");
	vtb_json_u64(w, "exact", d->exact);
	vtb_json_u64(w, "symbolic", d->symbolic);
	vtb_json_u64(w, "unknown", d->unknown);
	vtb_json_end(w);
	source->describe(path, w);
}

void vtb_decode_print_json(const struct vtb_decode_opts *opts, const struct vtb_decoded *d, FILE *out)
{
	const struct vtb_trace *trace = &d->trace;
	struct vtb_json_writer w;
	uint64_t named = 0;

	for (size_t i = 0; i < trace->tab.n_sites; i++)
		named += trace->tab.sites[i].line != 0;

	vtb_json_begin(&w, out);
	vtb_json_object(&w, NULL);
	vtb_json_string(&w, "format", "vtb-decode");
	vtb_json_u64(&w, "version", 1);
	vtb_json_string(&w, "input", opts->input);
	vtb_json_string(&w, "trace", opts->output);
	vtb_json_u64(&w, "threads", trace->tab.n_threads);
	vtb_json_u64(&w, "events", d->events);
	vtb_json_u64(&w, "accesses", d->accesses);
	vtb_json_u64(&w, "synchronisation", d->sync);
	vtb_json_u64(&w, "lost", trace->lost);
	vtb_json_u64(&w, "objects", trace->tab.n_objects);
	vtb_json_u64(&w, "variables", trace->tab.n_variables);
	vtb_json_u64(&w, "sites", trace->tab.n_sites);
	vtb_json_u64(&w, "sites_with_lines", named);
	describe(d->input, d, &w);
	vtb_json_string(&w, "verdict", vtb_verdict_name(trace->outcome.verdict));
	vtb_json_string(&w, "signature", trace->outcome.signature ? trace->outcome.signature : "");
	vtb_json_finish(&w);
}
