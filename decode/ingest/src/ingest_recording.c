/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording directory to a trace.
 *
 * Every thread has a file of its own. Sync records carry stamps that never contradict what happened; the accesses
 * between two stamps of a thread took place between them. So each thread is a row of segments, each ending in a stamped
 * record, and the segments are merged by that stamp:
 *
 *     thread 0   r w r [lock 3]      w [unlock 7]
 *     thread 1        w [post 5]            r r [lock 9]      ->  r w r lock3 · w post5 · w unlock7 · r r lock9
 *
 * A signal handler can make a thread's stamps fall; program order then wins.
 */
#include "ingest_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/input.h"
#include "vtb/recording_meta.h"
#include "vtb/array.h"
#include "vtb/signature.h"
#include "record_stream.h"
#include "thread_starts.h"
#include "wire_view.h"

#define THREAD_ENDED 2u /* vtb_wire_thread.state */

struct merge {
	struct vtb_ingest *in;
	const struct wire_view *view;
	const char *dir;
	struct vtb_trace *trace;
	struct record_stream *cursors; /* by slot */
	size_t n_cursors;
	uint32_t *heap; /* cursor indexes, the smallest key on top; ties: the smaller slot */
	size_t n_heap;
	struct vtb_error *err;
	struct vtb_ingest_join *join;     /* NULL: records become events here */
	struct vtb_ingest_entry *entries; /* for the join */
	size_t n_entries, cap_entries;
	const struct vtb_ingest_sink *sink; /* NULL: events are kept */
	struct thread_starts starts;
	struct vtb_event fail; /* the last; kind 0: none */
	uint64_t handed_on;
};

static bool goes_first(const struct merge *g, uint32_t a, uint32_t b)
{
	const struct record_stream *x = &g->cursors[a], *y = &g->cursors[b];

	return x->key != y->key ? x->key < y->key : x->slot < y->slot;
}

static void sift_down(struct merge *g, size_t i)
{
	for (;;) {
		size_t child = 2 * i + 1;
		uint32_t swap;

		if (child >= g->n_heap)
			return;
		if (child + 1 < g->n_heap && goes_first(g, g->heap[child + 1], g->heap[child]))
			child++;
		if (!goes_first(g, g->heap[child], g->heap[i]))
			return;
		swap = g->heap[i];
		g->heap[i] = g->heap[child];
		g->heap[child] = swap;
		i = child;
	}
}

/* Kinds that only steer the reading. */
bool vtb_ingest_is_kept(unsigned kind)
{
	return kind != VTB_E_FRAME && kind != VTB_E_STACK && kind != VTB_E_SWITCH && kind != VTB_E_DEVIATE &&
	       kind != VTB_E_BLOCK && kind != VTB_E_UNBLOCK && kind != VTB_E_THREAD_NAME;
}

static int note_event(struct merge *g, const struct vtb_event *e)
{
	if (e->kind == VTB_E_FAIL)
		g->fail = *e;
	return thread_starts_note(&g->starts, e);
}

#define AT_ONCE 4096u /* events handed on together */

static int hand_on(struct merge *g)
{
	struct vtb_trace *trace = g->trace;
	int r = g->sink && trace->n_events ? g->sink->take(trace->events, trace->n_events, g->sink->data) : 0;

	if (g->sink) {
		g->handed_on += trace->n_events;
		trace->n_events = 0;
	}
	return r;
}

static int add_event(struct merge *g, const struct vtb_event *e)
{
	if (g->handed_on + g->trace->n_events >= vtb_events_max())
		return vtb_error_set(g->err, -VTB_E_LIMIT, g->dir, 0,
		                     "has more than %" PRIu64 " events; --max-events=N reads more", vtb_events_max());
	if (vtb_array_room(g->trace, events) < 0)
		return -ENOMEM;
	g->trace->events[g->trace->n_events++] = *e;
	if (note_event(g, e) < 0)
		return -ENOMEM;
	return g->sink && g->trace->n_events == AT_ONCE ? hand_on(g) : 0;
}

static int keep_entry(struct merge *g, const struct record_stream *c, size_t words)
{
	if (vtb_array_room(g, entries) < 0)
		return -ENOMEM;
	g->entries[g->n_entries++] = (struct vtb_ingest_entry){ c->words + c->at, (uint32_t)words, c->slot };
	return 0;
}

static int emit_segment(struct merge *g, struct record_stream *c)
{
	while (c->at < c->end) {
		struct vtb_raw_record rec;
		struct vtb_event e;
		const size_t used = vtb_raw_record_read(c->words + c->at, c->end - c->at, &rec);
		int r = g->join ? keep_entry(g, c, used) : vtb_ingest_event(g->in, c->thread, &rec, &e);

		if (r == 0 && !g->join && vtb_ingest_is_kept(rec.kind))
			r = add_event(g, &e);
		if (r < 0)
			return record_stream_error(c, c->at, r,
			                           r == -VTB_E_FORMAT
			                               ? "names a thread, kind or verdict that does not exist"
			                               : vtb_strerror(r),
			                           g->err);
		if (rec.kind == VTB_E_LOST)
			c->lost += rec.value;
		c->at += used;
	}
	return 0;
}

/* Losses that no record tells of stand at the thread's end. A thread that came to its end must have had a stream: if
 * that is gone, nobody knows how much is missing. */
static int emit_lost(struct merge *g, const struct record_stream *c, const struct vtb_wire_thread *t)
{
	struct vtb_event e = { .kind = VTB_E_LOST, .var = VTB_NONE, .site = VTB_NONE, .thread = (uint16_t)c->thread };

	if (t->lost > c->lost) {
		e.value = t->lost - c->lost;
		e.flags = VTB_EVF_VALUE;
	} else if (c->words || t->state != THREAD_ENDED) {
		return 0;
	}
	return add_event(g, &e);
}

static int run_merge(struct merge *g, const struct wire_view *view)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < g->n_cursors; i++) {
		r = record_stream_next(&g->cursors[i], g->in->valid_kind, g->err);
		if (r == 0 && g->cursors[i].at < g->cursors[i].end)
			g->heap[g->n_heap++] = (uint32_t)i;
	}
	for (size_t i = g->n_heap; i > 0; i--)
		sift_down(g, i - 1);
	while (r == 0 && g->n_heap) {
		struct record_stream *c = &g->cursors[g->heap[0]];

		r = emit_segment(g, c);
		if (r == 0)
			r = record_stream_next(c, g->in->valid_kind, g->err);
		if (r == 0 && c->at == c->end)
			g->heap[0] = g->heap[--g->n_heap];
		sift_down(g, 0);
	}
	for (size_t i = 0; r == 0 && i < g->n_cursors; i++) {
		g->trace->lost +=
		    g->cursors[i].lost > view->threads[i].lost ? g->cursors[i].lost : view->threads[i].lost;
		r = emit_lost(g, &g->cursors[i], &view->threads[i]);
	}
	if (view->header->lost > g->trace->lost)
		g->trace->lost = view->header->lost;
	return r;
}

static int start_name(struct merge *g, uint32_t thread, uint64_t start)
{
	const struct vtb_ingest_module *m = start ? vtb_ingest_module_at(g->in, start) : NULL;
	struct vtb_place place;

	if (!m)
		return 0;
	vtb_symbols_place(g->in->symbols, m->path, start - m->base, &place);
	g->trace->tab.threads[thread].start = vtb_symtab_string(&g->trace->tab, place.function);
	return g->trace->tab.threads[thread].start ? 0 : -ENOMEM;
}

static int add_stack(struct merge *g, const struct vtb_wire_thread *t, uint32_t thread)
{
	if (t->stack_hi <= t->stack_lo)
		return 0;
	if (vtb_array_room(g->in, stacks) < 0)
		return -ENOMEM;
	g->in->stacks[g->in->n_stacks++] = (struct stack_area){ t->stack_lo, t->stack_hi, thread };
	return 0;
}

/* Slots are handed out in order, so a parent's is below its child's; that also rules out cycles. */
static int take_thread(struct merge *g, const struct wire_view *view, uint32_t slot)
{
	const struct vtb_wire_thread *t = &view->threads[slot];
	struct record_stream *c = &g->cursors[slot];
	uint32_t parent = VTB_NONE;
	int64_t id;
	int r;

	if (slot == 0 ? t->parent != VTB_NO_PATH : t->parent >= slot) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/process.vtb", g->dir);
		return vtb_error_set(g->err, -VTB_E_FORMAT, path, view->header->threads.offset + slot * sizeof(*t),
		                     "thread %" PRIu32 " has parent %" PRIu32 ", expected %s", slot, t->parent,
		                     slot ? "an earlier thread" : "none");
	}
	if (slot)
		parent = g->cursors[t->parent].thread;
	id = vtb_symtab_thread(&g->trace->tab, parent, t->nth);
	if (id < 0)
		return (int)id;
	c->slot = slot;
	c->thread = (uint32_t)id;
	r = vtb_ingest_set_slot(g->in, slot, c->thread);
	if (r == 0)
		r = start_name(g, c->thread, slot ? t->start : 0);
	if (r == 0)
		r = add_stack(g, t, c->thread);
	return r < 0 ? r : record_stream_open(c, g->dir, view, g->err);
}

static int read_threads(struct merge *g, const struct wire_view *view)
{
	int r = 0;

	g->n_cursors = view->n_threads;
	g->cursors = calloc(view->n_threads + 1, sizeof(*g->cursors));
	g->heap = calloc(view->n_threads + 1, sizeof(*g->heap));
	if (!g->cursors || !g->heap)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < view->n_threads; i++)
		r = take_thread(g, view, i);
	return r < 0 ? r : run_merge(g, view);
}

/* Let the join see the threads, and hand it the records. */
static int run_join(struct merge *g, const struct wire_view *view)
{
	uint32_t *ids = calloc(g->n_cursors + 1, sizeof(*ids));
	int r;

	if (!ids)
		return -ENOMEM;
	for (size_t i = 0; i < g->n_cursors; i++)
		ids[i] = g->cursors[i].thread;
	g->join->entries = g->entries;
	g->join->n_entries = g->n_entries;
	g->join->threads = view->threads;
	g->join->ids = ids;
	g->join->n_threads = (uint32_t)g->n_cursors;
	g->join->symbols = g->in->symbols;
	r = g->join->run(g->join, g->in, g->trace, g->err);
	for (size_t i = 0; r == 0 && i < g->trace->n_events; i++)
		r = note_event(g, &g->trace->events[i]);
	free(ids);
	return r;
}

static void merge_fini(struct merge *g)
{
	for (size_t i = 0; g->cursors && i < g->n_cursors; i++)
		record_stream_close(&g->cursors[i]);
	free(g->cursors);
	free(g->heap);
	free(g->entries);
	thread_starts_fini(&g->starts);
}

/* How it ended: what the runtime wrote, else what the recorder saw. */
static int set_outcome(const struct merge *g)
{
	struct vtb_outcome *o = &g->trace->outcome;

	if (g->fail.kind) {
		o->verdict = (enum vtb_verdict)g->fail.aux;
		o->thread = g->fail.thread;
		o->site = g->fail.site;
	}
	return vtb_signature(o, &g->trace->tab, NULL, 0);
}

static int ingest_directory(const char *dir, const struct vtb_input *block, const char *block_path,
                            struct vtb_symbols *symbols, struct vtb_ingest_join *join,
                            const struct vtb_ingest_sink *sink, struct vtb_trace *trace, struct vtb_error *err)
{
	struct merge g = {
		.dir = dir, .trace = trace, .err = err, .join = join, .sink = sink, .starts = { .tab = &trace->tab }
	};
	struct wire_view view;
	int r = wire_view(block->data ? block->data : "", block->size, block_path, &view, err);

	if (r < 0)
		return r;
	if (view.header->mode != VTB_MODE_RECORD)
		return vtb_error_set(err, -VTB_E_FORMAT, block_path, offsetof(struct vtb_wire_header, mode),
		                     "mode %" PRIu32 ", expected %d (record)", view.header->mode, VTB_MODE_RECORD);
	r = vtb_ingest_new(&trace->tab, symbols, &g.in);
	if (r == 0)
		r = vtb_ingest_modules(g.in, block->data, block->size, err);
	if (r == 0)
		r = vtb_recording_meta(dir, trace, err);
	g.view = &view;
	if (r == 0)
		r = read_threads(&g, &view);
	if (r == 0 && join)
		r = run_join(&g, &view);
	if (r == 0)
		r = hand_on(&g);
	if (r == 0)
		r = thread_starts_name(&g.starts);
	if (r == 0)
		r = set_outcome(&g);
	if (r == 0)
		r = vtb_ingest_users(g.in);
	merge_fini(&g);
	vtb_ingest_free(g.in);
	return r;
}

static int read_recording(const char *dir, struct vtb_ingest_join *join, const struct vtb_ingest_sink *sink,
                          struct vtb_trace *trace, struct vtb_error *err)
{
	struct vtb_symbols *symbols = NULL;
	struct vtb_input block = { 0 };
	char path[4096];
	int r;

	if (err)
		*err = (struct vtb_error){ 0 };
	if (snprintf(path, sizeof(path), "%s/process.vtb", dir) >= (int)sizeof(path) - 64)
		return vtb_error_set(err, -ENAMETOOLONG, dir, 0, "path is too long");
	trace->order = VTB_ORDER_SYNC;
	r = vtb_input_map(path, &block, err);
	if (r == 0)
		r = vtb_symbols_new(&symbols);
	if (r == 0)
		r = ingest_directory(dir, &block, path, symbols, join, sink, trace, err);
	vtb_symbols_free(symbols);
	vtb_input_unmap(&block);
	if (r < 0 && err && !err->text[0])
		vtb_error_set(err, r, dir, 0, "%s", vtb_strerror(r));
	return r;
}

int vtb_ingest_recording(const char *dir, struct vtb_trace *trace, struct vtb_error *err)
{
	return vtb_ingest_recording_to(dir, NULL, trace, err);
}

int vtb_ingest_recording_joined(const char *dir, struct vtb_ingest_join *join, struct vtb_trace *trace,
                                struct vtb_error *err)
{
	return read_recording(dir, join, NULL, trace, err);
}

int vtb_ingest_recording_to(const char *dir, const struct vtb_ingest_sink *sink, struct vtb_trace *trace,
                            struct vtb_error *err)
{
	return read_recording(dir, NULL, sink, trace, err);
}
