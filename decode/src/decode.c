/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/decode.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "source.h"
#include "vtb/json.h"

static const struct vtb_trace_source *const sources[] = { &vtb_source_pt, &vtb_source_perf, &vtb_source_joined, &vtb_source_recording };

int vtb_decode_read(const char *path, struct vtb_trace *trace, struct vtb_error *err)
{
	char known[512] = "";

	if (access(path, F_OK) < 0)
		return vtb_error_set(err, -errno, path, 0, "cannot open: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		const size_t len = strlen(known);

		if (sources[i]->matches(path))
			return sources[i]->read(path, trace, err);
		snprintf(known + len, sizeof(known) - len, "%s%s", len ? ", " : "", sources[i]->help);
	}
	return vtb_error_set(err, -VTB_E_FORMAT, path, 0, "not a recording; expected %s", known);
}

int vtb_decode_run(const struct vtb_decode_opts *opts, struct vtb_trace *ret, struct vtb_error *err)
{
	struct vtb_trace trace;
	int r;

	vtb_trace_init(&trace);
	r = vtb_decode_read(opts->input, &trace, err);
	if (r == 0)
		r = vtb_trace_write(&trace, opts->output, err);
	if (r < 0)
		vtb_trace_fini(&trace);
	else
		*ret = trace;
	return r;
}

struct counts {
	uint64_t accesses, sync, sites_named;
};

static struct counts count(const struct vtb_trace *trace)
{
	struct counts c = { 0 };

	for (size_t i = 0; i < trace->n_events; i++) {
		const struct vtb_event_info *info = vtb_event_info(trace->events[i].kind);

		if (info->family == VTB_FAMILY_MEMORY || (info->family == VTB_FAMILY_ATOMIC && trace->events[i].kind != VTB_E_FENCE))
			c.accesses++;
		else if (info->flags & VTB_EV_VISIBLE)
			c.sync++;
	}
	for (size_t i = 0; i < trace->tab.n_sites; i++)
		c.sites_named += trace->tab.sites[i].line != 0;
	return c;
}

void vtb_decode_print(const struct vtb_decode_opts *opts, const struct vtb_trace *trace, FILE *out)
{
	const struct counts c = count(trace);

	fprintf(out, "%s: %zu events of %zu threads (%" PRIu64 " accesses, %" PRIu64 " synchronisation), %zu variables, %zu places\n", opts->output, trace->n_events, trace->tab.n_threads, c.accesses, c.sync, trace->tab.n_variables, trace->tab.n_sites);
	if (trace->lost)
		fprintf(out, "lost: %" PRIu64 " events are missing\n", trace->lost);
	if (trace->tab.n_sites && !c.sites_named)
		fprintf(out, "no line information: build the program with -g to see source lines and variable names\n");
	if (trace->outcome.verdict != VTB_V_NONE)
		fprintf(out, "outcome: %s\n", *trace->outcome.signature ? trace->outcome.signature : vtb_verdict_name(trace->outcome.verdict));
}

/* What only some kinds of recordings have: shares of known addresses, details of the source. */
static void describe(const char *path, const struct vtb_trace *trace, struct vtb_json_writer *w)
{
	uint64_t exact = 0, symbolic = 0, unknown = 0;

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		if (!sources[i]->matches(path))
			continue;
		if (!sources[i]->describe)
			return;
		for (size_t k = 0; k < trace->n_events; k++) {
			const struct vtb_event *e = &trace->events[k];

			if (!e->size || e->kind > VTB_E_ATOMIC_CAS_FAIL)
				continue;
			unknown += (e->flags & VTB_EVF_ADDR_UNKNOWN) != 0;
			symbolic += (e->flags & VTB_EVF_ADDR_SYMBOLIC) != 0;
			exact += !(e->flags & (VTB_EVF_ADDR_UNKNOWN | VTB_EVF_ADDR_SYMBOLIC));
		}
		vtb_json_object_row(w, "addresses");
		vtb_json_u64(w, "exact", exact);
		vtb_json_u64(w, "symbolic", symbolic);
		vtb_json_u64(w, "unknown", unknown);
		vtb_json_end(w);
		sources[i]->describe(path, w);
		return;
	}
}

void vtb_decode_print_json(const struct vtb_decode_opts *opts, const struct vtb_trace *trace, FILE *out)
{
	const struct counts c = count(trace);
	struct vtb_json_writer w;

	vtb_json_begin(&w, out);
	vtb_json_object(&w, NULL);
	vtb_json_string(&w, "format", "vtb-decode");
	vtb_json_u64(&w, "version", 1);
	vtb_json_string(&w, "input", opts->input);
	vtb_json_string(&w, "trace", opts->output);
	vtb_json_u64(&w, "threads", trace->tab.n_threads);
	vtb_json_u64(&w, "events", trace->n_events);
	vtb_json_u64(&w, "accesses", c.accesses);
	vtb_json_u64(&w, "synchronisation", c.sync);
	vtb_json_u64(&w, "lost", trace->lost);
	vtb_json_u64(&w, "objects", trace->tab.n_objects);
	vtb_json_u64(&w, "variables", trace->tab.n_variables);
	vtb_json_u64(&w, "sites", trace->tab.n_sites);
	vtb_json_u64(&w, "sites_with_lines", c.sites_named);
	describe(opts->input, trace, &w);
	vtb_json_string(&w, "verdict", vtb_verdict_name(trace->outcome.verdict));
	vtb_json_string(&w, "signature", trace->outcome.signature ? trace->outcome.signature : "");
	vtb_json_finish(&w);
}
