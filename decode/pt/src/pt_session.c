/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/pt_session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pt_demux.h"
#include "pt_files.h"
#include "vtb/array.h"

#define BATCH_PER_JOB 4u /* segments decoded ahead, per decoding thread */

void vtb_pt_session_fini(struct vtb_pt_session *session)
{
	for (size_t i = 0; i < session->n_sources; i++) {
		vtb_pt_flow_free(session->sources[i].flow);
		free(session->sources[i].owned);
	}
	for (size_t i = 0; i < session->n_threads; i++)
		free(session->threads[i].spans);
	vtb_pt_image_free(session->image);
	if (session->import)
		session->import_free(session->import);
	free(session->sources);
	free(session->runs);
	free(session->threads);
	free(session->syncs);
	pt_files_fini(session);
	*session = (struct vtb_pt_session){ 0 };
}

struct vtb_pt_thread *vtb_pt_session_thread(struct vtb_pt_session *session, uint32_t tid)
{
	size_t i = 0;

	while (i < session->n_threads && session->threads[i].tid < tid)
		i++;
	if (i < session->n_threads && session->threads[i].tid == tid)
		return &session->threads[i];
	if (vtb_array_room(session, threads) < 0)
		return NULL;
	memmove(session->threads + i + 1, session->threads + i, (session->n_threads - i) * sizeof(*session->threads));
	session->threads[i] = (struct vtb_pt_thread){ .tid = tid };
	session->n_threads++;
	return &session->threads[i];
}

static int by_cpu_and_time(const void *a, const void *b)
{
	const struct vtb_pt_run *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->in < y->in ? -1 : x->in > y->in;
}

/* Spans of one thread on different CPUs do not overlap in time; those of one source stay in the source's order. */
static int by_time(const void *a, const void *b)
{
	const struct vtb_pt_span *x = a, *y = b;

	if (x->source == y->source) {
		if (x->segment != y->segment)
			return x->segment < y->segment ? -1 : 1;
		return x->first < y->first ? -1 : x->first > y->first;
	}
	if (x->tsc != y->tsc)
		return x->tsc < y->tsc ? -1 : 1;
	return x->source < y->source ? -1 : 1;
}

static int count_segment(struct vtb_pt_session *session, uint32_t source, size_t segment,
                         const struct vtb_pt_items *items, bool joined)
{
	session->instructions += items->instructions;
	session->errors += items->n_gaps;
	if (!joined) {
		if (vtb_array_room(session, syncs) < 0)
			return -ENOMEM;
		session->syncs[session->n_syncs++] =
		    (struct vtb_pt_sync){ .source = source,
			                  .offset = vtb_pt_flow_offset(session->sources[source].flow, segment) };
	}
	session->syncs[session->n_syncs - 1].instructions += items->instructions;
	return 0;
}

/* Decode one source from end to end, a batch of segments at a time. */
static int deal_source(struct vtb_pt_session *session, uint32_t index, unsigned jobs)
{
	struct vtb_pt_source *source = &session->sources[index];
	struct vtb_pt_items items[BATCH_PER_JOB * VTB_PT_JOBS_MAX] = { 0 };
	struct vtb_pt_demux demux = { .session = session, .source = index };
	size_t n_segments;
	bool joined = false;
	int r = vtb_pt_flow_new(source->data, source->size, &session->cpu, session->image, &source->flow);

	if (r < 0)
		return r;
	n_segments = vtb_pt_flow_segments(source->flow);
	for (size_t at = 0; r >= 0 && at < n_segments;) {
		const size_t n = n_segments - at < BATCH_PER_JOB * jobs ? n_segments - at : BATCH_PER_JOB * jobs;

		r = vtb_pt_flow_decode(source->flow, at, n, jobs, items);
		for (size_t i = 0; i < n; i++) {
			if (r >= 0)
				r = count_segment(session, index, at + i, &items[i], joined);
			if (r >= 0)
				r = vtb_pt_demux_segment(&demux, (uint32_t)(at + i), &items[i], joined);
			joined = items[i].joins;
			vtb_pt_items_clear(&items[i]);
		}
		at += n;
	}
	for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++)
		vtb_pt_items_fini(&items[i]);
	if (r >= 0)
		r = vtb_pt_demux_end(&demux);
	vtb_pt_demux_fini(&demux);
	return r;
}

int vtb_pt_session_deal(struct vtb_pt_session *session, unsigned jobs, struct vtb_error *err)
{
	jobs = jobs < 1 ? 1 : jobs > VTB_PT_JOBS_MAX ? VTB_PT_JOBS_MAX : jobs;
	if (session->n_runs)
		qsort(session->runs, session->n_runs, sizeof(*session->runs), by_cpu_and_time);
	for (uint32_t i = 0; i < session->n_sources; i++) {
		const int r = deal_source(session, i, jobs);

		if (r < 0)
			return vtb_error_set(err, r, NULL, 0, "cannot decode trace buffer %u: %s",
			                     session->sources[i].idx, vtb_strerror(r));
	}
	for (size_t i = 0; i < session->n_threads; i++)
		if (session->threads[i].n_spans)
			qsort(session->threads[i].spans, session->threads[i].n_spans,
			      sizeof(*session->threads[i].spans), by_time);
	return 0;
}

/* ------------------------------------------------------------------ reading a thread */

struct vtb_pt_reader {
	struct vtb_pt_session *session;
	const struct vtb_pt_thread *thread;
	unsigned jobs;
	size_t span;           /* current one */
	size_t item;           /* next one of its segment */
	uint32_t marks;        /* before it */
	bool inside;           /* `item` is valid */
	struct vtb_pt_gap gap; /* of a lost span */
	/* segments at hand: [first, first + n) of `source` */
	uint32_t source;
	size_t first, n;
	struct vtb_pt_items items[BATCH_PER_JOB * VTB_PT_JOBS_MAX];
};

int vtb_pt_reader_new(struct vtb_pt_session *session, size_t thread, unsigned jobs, struct vtb_pt_reader **ret)
{
	struct vtb_pt_reader *reader;

	if (thread >= session->n_threads)
		return -EINVAL;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	reader->session = session;
	reader->thread = &session->threads[thread];
	reader->jobs = jobs < 1 ? 1 : jobs > VTB_PT_JOBS_MAX ? VTB_PT_JOBS_MAX : jobs;
	*ret = reader;
	return 0;
}

static void drop_segments(struct vtb_pt_reader *reader)
{
	for (size_t i = 0; i < reader->n; i++)
		vtb_pt_items_fini(&reader->items[i]);
	reader->n = 0;
}

void vtb_pt_reader_free(struct vtb_pt_reader *reader)
{
	if (!reader)
		return;
	drop_segments(reader);
	free(reader);
}

/* Items of the span's segment; the segments after it are decoded with it if this is a source of one thread, which reads
 * them next. */
static int fetch(struct vtb_pt_reader *reader, const struct vtb_pt_span *span, const struct vtb_pt_items **ret)
{
	const struct vtb_pt_source *source = &reader->session->sources[span->source];
	const size_t left = vtb_pt_flow_segments(source->flow) - span->segment;
	size_t want = source->tid == VTB_PT_NONE || reader->jobs == 1 ? 1 : BATCH_PER_JOB * reader->jobs;
	int r;

	if (!reader->n || reader->source != span->source || span->segment < reader->first ||
	    span->segment >= reader->first + reader->n) {
		drop_segments(reader);
		want = want > left ? left : want;
		reader->source = span->source;
		reader->first = span->segment;
		reader->n = want;
		r = vtb_pt_flow_decode(source->flow, span->segment, want, reader->jobs, reader->items);
		if (r < 0)
			return r;
	}
	*ret = &reader->items[span->segment - reader->first];
	return 0;
}

/* Does the span after this one begin where reading stands? */
static bool goes_on(const struct vtb_pt_reader *reader, const struct vtb_pt_span *span)
{
	const struct vtb_pt_span *next = span + 1;

	return reader->span < reader->thread->n_spans && next->source == span->source &&
	       next->segment == span->segment && next->first >= span->end;
}

/* The span's next item. */
static bool next_in_span(struct vtb_pt_reader *reader, const struct vtb_pt_span *span, const struct vtb_pt_items *items,
                         struct vtb_pt_item *ret)
{
	if (!reader->inside) {
		reader->item = 0;
		reader->marks = 0;
		reader->inside = true;
	}
	while (reader->item < items->n_items) {
		const struct vtb_pt_item *item = &items->items[reader->item++];
		const uint32_t at = vtb_pt_position(item->kind, reader->marks);

		if (at >= span->end) {
			reader->item--;
			return false;
		}
		reader->marks += at & 1;
		if (at >= span->first) {
			*ret = *item;
			return true;
		}
	}
	return false;
}

int vtb_pt_reader_next(struct vtb_pt_reader *reader, struct vtb_pt_item *ret, const struct vtb_pt_gap **ret_gap)
{
	while (reader->span < reader->thread->n_spans) {
		const struct vtb_pt_span *span = &reader->thread->spans[reader->span];
		const struct vtb_pt_items *items;
		int r;

		if (span->lost) {
			reader->span++;
			reader->inside = false;
			reader->gap =
			    (struct vtb_pt_gap){ .kind = VTB_PT_GAP_OWNER,
				                 .offset = vtb_pt_flow_offset(
				                     reader->session->sources[span->source].flow, span->segment),
				                 .tsc = span->tsc };
			reader->gap.resume = reader->gap.offset;
			*ret = (struct vtb_pt_item){ .kind = VTB_PT_GAP };
			*ret_gap = &reader->gap;
			return 1;
		}
		r = fetch(reader, span, &items);
		if (r < 0)
			return r;
		if (next_in_span(reader, span, items, ret)) {
			*ret_gap = ret->kind == VTB_PT_GAP ? &items->gaps[ret->value] : NULL;
			return 1;
		}
		reader->span++;
		reader->inside = goes_on(reader, span);
	}
	return 0;
}
